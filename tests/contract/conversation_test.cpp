#include "support/catch.hpp"

#include "contract/agents_place.hpp"

#include <algorithm>

using namespace troupe;
using nlohmann::json;
using test::lines_of;
using test::says;
using test::troupe_of;

namespace {

constexpr auto two_steps = R"(
workflow: flow
steps:
  - {invoke: first.yaml, as: first}
  - {invoke: last.yaml, as: last, history: true}
)";

bool has_type(const std::vector<json>& events, const std::string& type) {
  return std::any_of(events.begin(), events.end(),
                     [&](const json& x) { return x["type"] == type; });
}

} // namespace

TEST_CASE("an assembly has a conversation", "[contract]") {
  auto x = troupe_of{{{"first", says("one")}, {"last", says("{{input}}")}}};
  x.write("flow.yaml", two_steps);
  auto run = [&](const std::string& prompt) {
    auto done = x.run({"run", "flow.yaml", prompt, "--session", "s", "--json"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    return json::parse(done.out);
  };
  auto first = run("A?");
  CHECK(first["session_id"] == "s");
  auto second = run("B?")["response"].get<std::string>();
  CHECK(second.find("User:\nA?") != std::string::npos);
  CHECK(second.find("Answer:\n" + first["response"].get<std::string>())
        != std::string::npos);
  auto shown = json::parse(
    x.run({"sessions", "show", "s", "--agent", "flow", "--json"}).out);
  REQUIRE(shown["messages"].size() == 4);
  CHECK(shown["messages"][0]["role"] == "user");
  CHECK(shown["messages"][0]["content"][0]["text"] == "A?");
  CHECK(shown["messages"][3]["content"][0]["text"] == second);
}

TEST_CASE("who wants the public stream alone gets that", "[contract]") {
  auto x = troupe_of{{{"first", says("one")}, {"last", says("two")}}};
  x.write("flow.yaml", two_steps);
  auto all = lines_of(x.run({"run", "flow.yaml", "Q", "--events"}).out);
  CHECK(has_type(all, "agent_stream"));
  auto some = lines_of(
    x.run({"run", "flow.yaml", "Q", "--events", "--no-agent-events"}).out);
  CHECK_FALSE(has_type(some, "agent_stream"));
  CHECK(has_type(some, "text_delta"));
  CHECK(has_type(some, "run_stop"));
  SECTION("and the store has the rest") {
    auto id = some.front()["run_id"].get<std::string>();
    auto stored = lines_of(x.run({"runs", "logs", id, "--json"}).out);
    CHECK(has_type(stored, "agent_stream"));
  }
}

TEST_CASE("an assembly whose time is up gives what it has", "[contract]") {
  auto x = troupe_of{
    {{"first", says("one")},
     {"last",
      "  - reply: {text: 'some of it', chunk: 4, chunk_delay: 60s}\n"}}};
  x.write("flow.yaml", two_steps);
  auto ends_with = [&](const std::string& response) {
    auto done = x.run({"run", "flow.yaml", "Q", "--json", "--deadline", "1s"});
    CHECK(done.code == 3);
    CHECK(json::parse(done.out)["response"] == response);
  };
  ends_with("some");
  x.write("last.model.yaml", "cassette: 1\nexchanges:\n"
                             "  - reply: {text: never, delay: 60s}\n");
  ends_with("one");
}
