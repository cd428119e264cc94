#include "support/catch.hpp"
#include "support/open_store.hpp"

#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/run_lease_time.hpp"
#include "troupe/runtime/run/run_recovery.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include "actors/agent_bench.hpp"
#include "actors/scripted_model.hpp"

using namespace troupe;
using namespace troupe::test;

// A process may go between the last result of a turn and what the turn comes
// to. What stands in the store then is written here.

namespace {

constexpr auto id = "01999999-0000-7000-8000-000000000001";

std::vector<session_record>
records_of(const std::vector<chat_message>& messages) {
  auto result = std::vector<session_record>{};
  for (const auto& one : messages)
    result.push_back({0, record_kind::message, 1, encode_message(one)});
  return result;
}

/// The user's word, a call, and its result.
std::vector<chat_message> turn_of(const std::string& tool,
                                  const std::string& arguments,
                                  const std::string& result) {
  auto asked = chat_message{};
  asked.text = "go";
  auto answer = chat_message{};
  answer.role = message_role::assistant;
  answer.text = "Somebody else knows.";
  answer.calls = {{"c1", tool, arguments, {}}};
  auto told = chat_message{};
  told.role = message_role::tool;
  told.text = result;
  told.call_id = "c1";
  told.tool_name = tool;
  told.is_error = result.find("error") != std::string::npos;
  return {asked, answer, told};
}

/// A run that was interrupted with `messages` in the conversation `key`.
void write_run(const storage_settings& where, const std::string& kind,
               const std::string& name, const session_key& key,
               const std::vector<chat_message>& messages) {
  auto disk = open_store(where);
  auto request = scripted_host::request("go");
  request.agent = name;
  auto commit = store_commit{};
  commit.run_id = id;
  commit.epoch = 1;
  auto head = run_head{};
  head.run_id = id;
  head.kind = kind;
  head.name = name;
  head.session = {name, "s", ""};
  head.status = run_status::running;
  head.created_at = now_micros();
  head.updated_at = head.created_at;
  head.lease = {"nobody", 1, 1};
  head.details = encode_details(request, {});
  commit.begin = head;
  if (kind == "agent")
    commit.values.push_back({input_value, 1, "1"});
  commit.sessions.push_back({key, records_of(messages)});
  auto batch = std::vector{commit};
  REQUIRE_FALSE(disk->commit(batch));
  REQUIRE(batch[0].refusal == commit_refusal::none);
  auto marked = disk->reconcile(now_micros(), [](const auto&) { return true; });
  REQUIRE(marked);
  REQUIRE(marked->size() == 1);
}

participant_settings member(const std::string& agent) {
  auto result = participant_settings{};
  result.agent = agent;
  return result;
}

/// A swarm of "calc", which may hand over, and "other".
struct swarm_world : scripted_host {
  swarm_world() {
    told->main = [](const model_request&, size_t) { return says("mine"); };
    told->summarizer = [](const model_request&, size_t) {
      return says("the other's");
    };
    auto swarm = swarm_settings{};
    swarm.members = {{"calc", member("calc")}, {"other", member("other")}};
    swarm.start = "calc";
    swarm.handoffs = {{"calc", {"other"}}};
    auto assembly = assembly_settings{};
    assembly.name = "pair";
    assembly.what = swarm;
    options.assemblies = {assembly};
  }

  run_object resume(const std::string& arguments, const std::string& result) {
    write_run(options.settings.storage, "swarm", "pair",
              {"calc", std::string{id} + "/calc", ""},
              turn_of("handoff", arguments, result));
    start({agent{"other"}.model("local:short")});
    auto order = resume_run{};
    order.run_id = id;
    return host().resume(order).wait();
  }
};

struct verdict {
  bool ok = false;
};

BOOST_DESCRIBE_STRUCT(verdict, (), (ok))

} // namespace

TEST_CASE("a member that had handed over is not asked again", "[swarm]") {
  swarm_world world;
  auto run = world.resume(R"({"to":"other","message":"yours"})",
                          R"({"handed_over_to":"other"})");
  CHECK(run.status == run_status::completed);
  CHECK(run.response == "the other's");
  CHECK(world.told->requests_to("main").empty());
  CHECK(world.told->requests_to("short").size() == 1);
  REQUIRE(run.transitions.size() == 2);
  CHECK(run.transitions[0].from.empty());
  CHECK(run.transitions[1].from == "calc");
  CHECK(run.transitions[1].to == "other");
}

TEST_CASE("a member whose handing over was refused is asked again", "[swarm]") {
  swarm_world world;
  auto run = world.resume(R"({"to":"nobody"})", R"({"error":"no"})");
  CHECK(run.response == "mine");
  CHECK(world.told->requests_to("main").size() == 1);
}

TEST_CASE("a run that had its result only has to end", "[result]") {
  scripted_host world;
  world.told->main = [](const model_request&, size_t) { return says("no"); };
  world.calc.result<verdict>().result_strategy(result_strategy::tool);
  write_run(world.options.settings.storage, "agent", "calc", {"calc", "s", ""},
            turn_of("final_result", R"({"ok":true})", R"({"accepted":true})"));
  auto order = resume_run{};
  order.run_id = id;
  auto run = world.host().resume(order).wait();
  CHECK(run.status == run_status::completed);
  CHECK(run.output_json == R"({"ok":true})");
  CHECK(world.told->requests_to("main").empty());
}
