#include "troupe/runtime/run/trajectory.hpp"

#include "support/catch.hpp"

#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/run_json.hpp"
#include "troupe/runtime/run/step_recorder.hpp"

#include <nlohmann/json.hpp>

#include <chrono>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

using names = std::vector<std::string>;

run_event started(const std::string& name, const names& after) {
  auto result = run_event{};
  result.type = event_type::step_start;
  result.participant = name;
  result.data_json = nlohmann::json{{"name", name}, {"after", after}}.dump();
  return result;
}

run_event stopped(const std::string& name,
                  const std::string& status = "completed",
                  const std::string& error = {}) {
  auto result = run_event{};
  result.type = event_type::step_stop;
  result.participant = name;
  auto data = nlohmann::json{{"name", name}, {"status", status}};
  if (!error.empty())
    data["error"] = error;
  result.data_json = data.dump();
  return result;
}

/// plan, then ledger and a flow of two at once, then respond.
run_object audit() {
  auto result = run_object{};
  auto recorder = step_recorder{};
  auto take = [&](run_event event, int64_t at) {
    recorder.take(result, event, at);
  };
  take(started("plan", {}), 100);
  take(stopped("plan"), 200);
  take(started("ledger", {"plan"}), 200);
  take(started("flow", {"plan"}), 210);
  take(started("flow/one", {"flow"}), 220);
  take(stopped("flow/one"), 240);
  take(started("flow/two", {"flow/one"}), 250);
  take(stopped("ledger"), 260);
  take(stopped("flow/two", "failed", "timeout"), 280);
  take(stopped("flow"), 300);
  take(started("respond", {"ledger", "flow"}), 300);
  take(stopped("respond"), 400);
  result.ended_at = 410;
  return result;
}

names of(const std::vector<run_transition>& path) {
  auto result = names{};
  for (const auto& one : path)
    result.push_back(one.from + ">" + one.to);
  return result;
}

std::string encoded(const run_object& x) {
  return encode_details({}, x);
}

} // namespace

TEST_CASE("the events of steps make the trajectory of a run", "[trajectory]") {
  auto run = audit();
  REQUIRE(run.steps.size() == 6);
  CHECK(run.steps[3].name == "flow/one");
  CHECK(run.steps[3].id == 4);
  CHECK(run.steps[4].status == run_status::failed);
  CHECK(run.steps[4].error_kind == "timeout");
  CHECK(of(run.transitions)
        == names{">plan", "plan>ledger", "plan>flow", "flow>flow/one",
                 "flow/one>flow/two", "ledger>respond", "flow>respond"});
  CHECK(run.transitions[1].at == 200);
}

TEST_CASE("a step that goes on is no other step", "[trajectory]") {
  auto run = run_object{};
  auto recorder = step_recorder{};
  auto event = started("a", {});
  recorder.take(run, event, 1);
  event = stopped("a", "suspended");
  recorder.take(run, event, 2);
  auto later = step_recorder{}; // of the next process
  event = started("a", {});
  CHECK(later.take(run, event, 5) == step_recorder::outcome::kept);
  event = stopped("a");
  later.take(run, event, 7);
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].started_at == 1);
  CHECK(run.steps[0].ended_at == 7);
  CHECK(run.steps[0].status == run_status::completed);
  CHECK(run.transitions.size() == 1);
}

TEST_CASE("what has no name of an error has none", "[trajectory]") {
  auto run = run_object{};
  auto recorder = step_recorder{};
  for (auto event : {started("a", {}), stopped("a", "failed", "nonsense")})
    recorder.take(run, event, 1);
  CHECK(run.steps[0].error_kind.empty());
  auto broken = started("b", {});
  for (const auto* text : {"", "[]", "{\"name\": 1}", "{\"after\": 2}"}) {
    broken.data_json = text;
    recorder.take(run, broken, 1);
  }
  CHECK(run.steps.size() == 2); // that without a name
}

TEST_CASE("the lists of a trajectory have bounds, and say what is missing",
          "[trajectory]") {
  auto run = run_object{};
  auto recorder = step_recorder{};
  auto before = names{};
  constexpr auto count = size_t{20'000};
  for (size_t i = 0; i < count; ++i) {
    auto name = "step#" + std::to_string(i);
    auto event = started(name, before);
    recorder.take(run, event, static_cast<int64_t>(i));
    event = stopped(name);
    recorder.take(run, event, static_cast<int64_t>(i) + 1);
    before = {name};
  }
  CHECK(run.steps.size() == most_steps);
  CHECK(run.steps_left_out == count - most_steps);
  CHECK(run.transitions.size() == most_transitions);
  CHECK(run.transitions_left_out == count - most_transitions);
  auto shown = run_json(run)["trajectory"]["left_out"];
  CHECK(shown["steps"] == run.steps_left_out);
  CHECK(shown["transitions"] == run.transitions_left_out);
}

TEST_CASE("a trajectory is stored and found again", "[trajectory]") {
  auto run = audit();
  run.steps_left_out = 3;
  run.transitions_left_out = 4;
  auto head = run_head{};
  head.details = encoded(run);
  auto found = decode_details(head);
  REQUIRE(found);
  CHECK(found->object.steps_left_out == 3);
  CHECK(found->object.transitions_left_out == 4);
  CHECK(of(found->object.transitions) == of(run.transitions));
  CHECK(found->object.steps[4].error_kind == "timeout");
  CHECK(encoded(found->object) == encoded(run));
}

TEST_CASE("a trajectory is put together again from the events",
          "[trajectory]") {
  auto events = std::vector<run_event>{started("a", {}),
                                       stopped("a", "failed", "limit"),
                                       started("b", {"a"})};
  for (size_t i = 0; i < events.size(); ++i)
    events[i].at = static_cast<int64_t>(10 * (i + 1));
  auto run = run_object{};
  run.steps.push_back({1, "me", {}, run_status::running, 5, 0});
  run.steps.push_back({2, "a", "a", run_status::running, 10, 0});
  run.transitions.push_back({"?", "?", 1});
  recover_steps(run, events);
  REQUIRE(run.steps.size() == 3);
  CHECK(run.steps[0].participant == "me");
  CHECK(run.steps[1].status == run_status::failed);
  CHECK(run.steps[1].ended_at == 20);
  CHECK(run.steps[2].id == 3);
  CHECK(of(run.transitions) == names{">a", "a>b"});
}

TEST_CASE("steps that ran at once are found", "[trajectory]") {
  auto run = audit();
  CHECK(steps_beside(run, "ledger") == names{"flow", "flow/one", "flow/two"});
  CHECK(steps_beside(run, "flow") == names{"ledger"});
  CHECK(steps_beside(run, "flow/one") == names{"ledger"});
  CHECK(steps_beside(run, "plan").empty());
  CHECK(steps_beside(run, "nobody").empty());
  CHECK(most_at_once(run) == 2);
  CHECK(most_at_once({}) == 0);
}

TEST_CASE("a path leads to a step over whoever was waited for longest",
          "[trajectory]") {
  auto run = audit();
  CHECK(of(path_to(run, "respond"))
        == names{">plan", "plan>flow", "flow>respond"});
  CHECK(of(path_to(run, "flow/two"))
        == names{">plan", "plan>flow", "flow>flow/one", "flow/one>flow/two"});
  CHECK(path_to(run, "nobody").empty());
  run.transitions.push_back({"plan", "plan", 1}); // whatever a record says
  CHECK(path_to(run, "plan").size() <= 2);
}

TEST_CASE("a step's own time is without that of what it contains",
          "[trajectory]") {
  auto run = audit();
  CHECK(total_time(run, "flow") == 90us);
  CHECK(own_time(run, "flow") == 40us);
  CHECK(own_time(run, "ledger") == total_time(run, "ledger"));
  CHECK(total_time(run, "nobody") == 0us);
  SECTION("also while it runs") {
    run.steps[2].ended_at = 0; // flow
    run.ended_at = 0;
    CHECK(total_time(run, "flow", 410) == 200us);
    CHECK(own_time(run, "flow", 410) == 150us);
    CHECK(total_time(run, "flow") == 0us);
  }
}
