#include "support/catch.hpp"

#include "actors/agent_bench.hpp"
#include "actors/scripted_model.hpp"

#include <algorithm>

using namespace troupe;
using namespace troupe::test;

// What a conversation brings along into its next run is what was said, and
// nothing else: instructions, tools and rights are those of the run.

namespace {

/// The model calls "add" in its first and third turn and then answers.
struct pair_of_runs : scripted_host {
  pair_of_runs() {
    told->main = [](const model_request&,
                    size_t number) -> caf::expected<model_batch> {
      if (number % 2 == 1)
        return calls("add", R"({"a":2,"b":3})");
      return says("answer");
    };
    auto spec = tool_spec{};
    spec.name = "add";
    spec.capability = "write";
    calc.use(make_tool(std::move(spec), add));
  }

  /// The requests of the second run.
  std::vector<model_request> second(agent next,
                                    const std::string& permission = {}) {
    REQUIRE(ask("first").status == run_status::completed);
    CHECK(result_of_last_call() == "5.0");
    calc = std::move(next);
    start();
    auto asked = request("second");
    asked.permission_mode = permission;
    REQUIRE(host().ask(asked).status == run_status::completed);
    auto all = told->requests_to("main");
    REQUIRE(all.size() == 4);
    return {all.begin() + 2, all.end()};
  }

  std::string result_of_last_call() {
    auto result = std::string{};
    for (const auto& one : messages())
      if (one->role == message_role::tool)
        result = one->text;
    return result;
  }
};

bool offers(const model_request& request, const std::string& name) {
  return std::any_of(request.tools->begin(), request.tools->end(),
                     [&](const tool_description& x) { return x.name == name; });
}

agent calculator() {
  return agent{"calc"}.model("local:main");
}

} // namespace

TEST_CASE("a continued session has the instructions of now, once",
          "[sessions]") {
  pair_of_runs runs;
  auto next = runs.calc;
  next.system_prompt("You are brief.");
  for (const auto& request : runs.second(next)) {
    auto is_system = [](const chat_message_ptr& x) {
      return x->role == message_role::system;
    };
    CHECK(
      std::count_if(request.messages.begin(), request.messages.end(), is_system)
      == 1);
    CHECK(request.messages.front()->text == "You are brief.");
  }
}

TEST_CASE("a continued session has the tools of now", "[sessions]") {
  pair_of_runs runs;
  auto next = calculator().use(make_tool("fail", "Fails.", fail_openly));
  auto requests = runs.second(next);
  CHECK(shape(requests[0]) == "uctau");
  CHECK_FALSE(offers(requests[0], "add"));
  CHECK(offers(requests[0], "fail"));
  // That it was called before does not make it one.
  CHECK(runs.result_of_last_call().find("there is no tool")
        != std::string::npos);
}

TEST_CASE("a continued session never has more rights than its run",
          "[sessions]") {
  pair_of_runs runs;
  SECTION("when the configuration was narrowed") {
    auto next = runs.calc;
    runs.options.settings.permissions.mode = permission_mode::auto_allow;
    auto rules = permission_settings{};
    rules.mode = permission_mode::read_only;
    next.permissions(rules);
    CHECK_FALSE(offers(runs.second(next)[0], "add"));
    CHECK(runs.result_of_last_call().find("permission denied: write")
          != std::string::npos);
  }
  SECTION("when the run asks for less") {
    CHECK_FALSE(offers(runs.second(runs.calc, "read_only")[0], "add"));
    CHECK(runs.result_of_last_call().find("permission denied: write")
          != std::string::npos);
  }
  SECTION("when somebody would have to be asked") {
    CHECK(offers(runs.second(runs.calc, "ask")[0], "add"));
    CHECK(runs.result_of_last_call().find("permission denied: write")
          != std::string::npos);
  }
}

TEST_CASE("sessions of other agents and actors bring nothing along",
          "[sessions]") {
  pair_of_runs runs;
  runs.ask("first");
  auto other = runs.request("second");
  other.actor_id = "ann";
  runs.host().ask(other);
  CHECK(shape(runs.told->requests_to("main")[2]) == "su");
}
