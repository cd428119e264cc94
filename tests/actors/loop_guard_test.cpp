#include "support/catch.hpp"

#include "actors/agent_bench.hpp"
#include "actors/scripted_model.hpp"

#include <atomic>
#include <string>

using namespace troupe;
using namespace troupe::test;

namespace {

/// The model calls "look" in each turn, and its arguments come in two orders.
struct circle : scripted_host {
  circle() {
    told->main = [](const model_request&, size_t number) {
      return calls("look", number % 2 == 0 ? R"({"a":1,"b":{"c":2,"d":3}})"
                                           : R"({"b":{"d":3,"c":2}, "a":1})");
    };
    auto spec = tool_spec{};
    spec.name = "look";
    auto body = tool::function{[this](tool_context, std::string) {
      ++looked;
      return result(looked);
    }};
    calc.use(tool{std::move(spec), std::move(body)});
  }

  /// What the model was told last with its `number`th request.
  std::string last_word(size_t number) {
    return told->requests_to("main").at(number - 1).messages.back()->text;
  }

  int looked = 0;
  std::function<std::string(int)> result = [](int) {
    return std::string{R"({"found":[]})"};
  };
};

constexpr auto reminder = "3 times with the same arguments";

} // namespace

TEST_CASE("a call that is made three times in vain is noted, and five times "
          "ends the run",
          "[guard]") {
  circle world;
  auto run = world.ask("go");
  CHECK(run.status == run_status::failed);
  CHECK(run.error.kind == errc::limit);
  CHECK(run.error.message.find("\"look\" was called 5 times")
        != std::string::npos);
  CHECK(world.looked == 5);
  auto asked = world.told->requests_to("main");
  REQUIRE(asked.size() == 5);
  CHECK(world.last_word(3) == R"({"found":[]})");
  CHECK(world.last_word(4).find(reminder) != std::string::npos);
  CHECK(world.last_word(5).find("4 times") != std::string::npos);
  // It is said once, and stands in no conversation.
  CHECK(shape(asked[3]) == "suctctctu");
  CHECK(shape(asked[4]) == "suctctctctu");
  check_pairing(world.messages());
  for (const auto& one : world.messages())
    CHECK(one->text.find("times") == std::string::npos);
}

TEST_CASE("what comes between does not matter", "[guard]") {
  circle world;
  world.calc.use(make_tool("add", "Adds.", add));
  auto circle_of = world.told->main;
  world.told->main = [circle_of](const model_request& x, size_t number) {
    if (number % 2 == 0)
      return caf::expected<model_batch>{
        calls("add", "{\"a\":1,\"b\":" + std::to_string(number) + "}")};
    return circle_of(x, number);
  };
  auto run = world.ask("go");
  CHECK(run.error.kind == errc::limit);
  CHECK(world.looked == 5);
  CHECK(run.usage.model_requests == 9);
}

TEST_CASE("a call whose result changes may be made as often as it takes",
          "[guard]") {
  circle world;
  world.result = [](int count) { return std::to_string(count); };
  auto circle_of = world.told->main;
  world.told->main = [circle_of](const model_request& x, size_t number) {
    return number == 9 ? caf::expected<model_batch>{says("Done.")}
                       : circle_of(x, number);
  };
  auto run = world.ask("go");
  CHECK(run.status == run_status::completed);
  for (size_t i = 1; i <= 9; ++i)
    CHECK(world.last_word(i).find("times") == std::string::npos);
}

TEST_CASE("each run of a session counts for itself", "[guard]") {
  circle world;
  auto circle_of = world.told->main;
  world.told->main = [circle_of](const model_request& x, size_t number) {
    return number % 3 == 0 ? caf::expected<model_batch>{says("Done.")}
                           : circle_of(x, number);
  };
  for (auto i = 0; i < 3; ++i)
    CHECK(world.ask("go").status == run_status::completed);
  CHECK(world.looked == 6);
}

TEST_CASE("a run that lost its process has not forgotten its calls",
          "[guard]") {
  circle world;
  auto order = resume_run{};
  order.run_id = world.crash_at(4);
  auto run = world.host().resume(order).wait();
  CHECK(run.status == run_status::failed);
  CHECK(run.error.kind == errc::limit);
  CHECK(world.looked == 5);
  CHECK(world.last_word(5).find(reminder) != std::string::npos);
}
