#include "support/catch.hpp"

#include "actors/workflow_bench.hpp"

#include <atomic>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Effects of the workflow under test; each test begins with none.
std::map<std::string, int> effects;

int done_once(const std::string& name) {
  return ++effects[name];
}

struct fresh_effects {
  fresh_effects() {
    effects.clear();
  }
};

struct point {
  int x = 0;
  std::optional<std::string> label;
};

BOOST_DESCRIBE_STRUCT(point, (), (x, label))

struct path {
  std::vector<point> points;
  std::map<std::string, double> lengths;
  bool closed = false;
};

BOOST_DESCRIBE_STRUCT(path, (), (points, lengths, closed))

co::task<std::string> greet(workflow_context, std::string name) {
  co_return "Hello " + name;
}

co::task<point> move_right(workflow_context, point from) {
  ++from.x;
  co_return from;
}

} // namespace

TEST_CASE("a workflow's coroutine gives the run its response", "[workflow]") {
  flow_bench bench;
  auto run = bench.add("greet", greet).ask("greet", "Ann");
  CHECK(run.status == run_status::completed);
  CHECK(run.kind == "workflow");
  CHECK(run.name == "greet");
  CHECK(run.response == "Hello Ann");
  CHECK(run.output_json.empty());
  CHECK(run.steps.empty());
  auto events = bench.events(run.run_id);
  REQUIRE(events.size() == 2);
  CHECK(events[0].type == event_type::run_start);
  CHECK(events[1].type == event_type::run_stop);
  auto stored = bench.host().find_run(run.run_id);
  REQUIRE((stored && *stored));
  CHECK((**stored).response == "Hello Ann");
  CHECK((**stored).kind == "workflow");
}

TEST_CASE("a workflow over structs takes and gives JSON", "[workflow]") {
  flow_bench bench;
  bench.add("right", move_right);
  auto run = bench.ask("right", R"({"x": 2})");
  CHECK(run.response == R"({"x":3})");
  CHECK(run.output_json == R"({"x":3})");
  for (const auto* wrong : {"", "{", "{}", R"({"x": "2"})", R"({"y": 2})"})
    CHECK_THROWS_AS(bench.ask("right", wrong), co::failure);
  auto all = bench.host().list_runs({});
  REQUIRE(all);
  CHECK(all->size() == 1); // what was refused left no run
}

TEST_CASE("a run is of an agent or of a workflow by its name", "[workflow]") {
  flow_bench bench;
  bench.add("greet", greet);
  CHECK(bench.ask("writer").kind == "agent");
  CHECK(bench.ask("greet").kind == "workflow");
  CHECK_THROWS_WITH(bench.ask("gret"), Catch::Contains("agent or workflow"));
}

TEST_CASE("workflows with one name, or a bad one, are refused at the start",
          "[workflow]") {
  flow_bench bench;
  auto name = GENERATE("writer", "greet", "", "a/b", "a#b", "troupe.x");
  bench.add("greet", greet).add(name, greet);
  CHECK_THROWS_AS(bench.host(), co::failure);
}

// -- checkpoints --------------------------------------------------------------

namespace {

co::task<std::string> in_coroutine(workflow_context flow) {
  co_await flow.sleep(1ms);
  done_once("coroutine");
  co_return std::string{"text \"with\" quotes"};
}

int give_number() {
  done_once("number");
  return -42;
}

path give_shape() {
  done_once("shape");
  return path{{{1, "a"}, {2, {}}}, {{"a", 0.5}}, true};
}

void give_nothing() {
  done_once("nothing");
}

raw_json give_raw() {
  done_once("raw");
  return raw_json{R"([1, null])"};
}

co::task<std::string> many_kinds(workflow_context flow, std::string) {
  auto text = co_await flow.checkpoint("text", in_coroutine);
  auto number = co_await flow.checkpoint("number", give_number);
  auto shape = co_await flow.checkpoint("shape", give_shape);
  co_await flow.checkpoint("nothing", give_nothing);
  auto raw = co_await flow.checkpoint("raw", give_raw);
  co_await flow.suspend("look");
  co_return text + std::to_string(number) + raw.text
    + std::to_string(shape.points.size()) + shape.points.at(0).label.value()
    + std::to_string(shape.lengths.at("a") == 0.5)
    + (shape.closed ? "closed" : "open");
}

} // namespace

TEST_CASE("a checkpoint runs once, and its value stays", "[workflow]") {
  fresh_effects fresh;
  flow_bench bench;
  auto run = bench.add("kinds", many_kinds).ask("kinds");
  REQUIRE(run.status == run_status::suspended);
  run = bench.resume(run.run_id);
  CHECK(run.status == run_status::completed);
  CHECK(run.response == "text \"with\" quotes-42[1, null]2a1closed");
  CHECK(effects.size() == 5);
  for (const auto& [name, count] : effects)
    CHECK(count == 1);
  CHECK(bench.events(run.run_id, event_type::checkpoint).size() == 5);
}

namespace {

co::task<std::string> use_name(workflow_context flow, std::string name) {
  auto it = [] { return done_once("it"); };
  auto count = co_await flow.checkpoint(name, it);
  co_return std::to_string(count);
}

co::task<std::string> emit_name(workflow_context flow, std::string name) {
  flow.emit(name);
  co_return std::string{};
}

co::task<std::string> key_name(workflow_context flow, std::string name) {
  co_await flow.suspend("why", name);
  co_return std::string{};
}

co::task<std::string> artifact_name(workflow_context flow, std::string name) {
  co_await flow.artifact(name, "content");
  co_return std::string{};
}

co::task<std::string> twice(workflow_context flow, std::string) {
  auto it = [] { return done_once("it"); };
  co_await flow.checkpoint("it", it);
  auto again = co_await flow.checkpoint("it", it);
  co_return std::to_string(again);
}

co::task<std::string> twice_at_once(workflow_context flow, std::string) {
  auto steps = std::vector<checkpoint_step<int>>{};
  steps.emplace_back("a", [] { return done_once("it"); });
  steps.emplace_back("a", [] { return done_once("it"); });
  co_await flow.checkpoint_all(std::move(steps));
  co_return std::string{};
}

} // namespace

TEST_CASE(
  "a name that is reserved or malformed is refused before anything runs",
  "[workflow]") {
  fresh_effects fresh;
  flow_bench bench;
  bench.add("checkpoint", use_name).add("event", emit_name);
  bench.add("key", key_name).add("artifact", artifact_name);
  for (const auto* name : {"troupe.x", "a\nb", "\xff"})
    for (const auto* kind : {"checkpoint", "event", "key", "artifact"})
      CHECK(is_refused(bench.ask(kind, name), "cannot be a"));
  for (const auto* kind : {"checkpoint", "event", "artifact"})
    CHECK(is_refused(bench.ask(kind, ""), "1 to 200 bytes"));
  for (const auto* kind : {"checkpoint", "event", "key", "artifact"})
    CHECK(is_refused(bench.ask(kind, std::string(201, 'x')), "200 bytes"));
  for (const auto* name : {"a/b", "a#2"})
    for (const auto* kind : {"checkpoint", "event", "key"})
      CHECK(is_refused(bench.ask(kind, name), "no \"/\""));
  for (const auto* name : {"run_start", "checkpoint", "run_cancel", "custom"})
    CHECK(is_refused(bench.ask("event", name), "themselves"));
  for (const auto* name : {"/a", "a//b", "../a", "a/../b", "a/", "."})
    CHECK(is_refused(bench.ask("artifact", name), "relative path"));
  CHECK(effects.empty());
}

TEST_CASE("a name that is used twice is refused", "[workflow]") {
  fresh_effects fresh;
  flow_bench bench;
  bench.add("twice", twice).add("at_once", twice_at_once);
  CHECK(is_refused(bench.ask("twice"), "twice"));
  CHECK(effects["it"] == 1);
  CHECK(is_refused(bench.ask("at_once"), "twice"));
  CHECK(effects["it"] == 1);
}

namespace {

double give_nan() {
  return std::numeric_limits<double>::quiet_NaN();
}

path give_infinity() {
  auto result = path{};
  result.lengths["a"] = std::numeric_limits<double>::infinity();
  return result;
}

std::string give_bytes() {
  return "\xff\xfe";
}

raw_json give_no_json() {
  return raw_json{"{no"};
}

co::task<std::string> give_value(workflow_context flow, std::string kind) {
  if (kind == "nan")
    co_await flow.checkpoint("x", give_nan);
  if (kind == "deep infinity")
    co_await flow.checkpoint("x", give_infinity);
  if (kind == "bytes")
    co_await flow.checkpoint("x", give_bytes);
  if (kind == "raw")
    co_await flow.checkpoint("x", give_no_json);
  if (kind == "event")
    flow.emit("mine", "{no");
  co_return std::string{"came to the end"};
}

} // namespace

TEST_CASE("a value that is not JSON is refused and not stored", "[workflow]") {
  flow_bench bench;
  bench.add("give", give_value);
  auto kind = GENERATE("nan", "deep infinity", "bytes", "raw", "event");
  auto run = bench.ask("give", kind);
  CHECK(is_refused(run, "JSON"));
  CHECK(bench.events(run.run_id, event_type::custom).empty());
}

TEST_CASE("the events of a workflow carry what it says", "[workflow]") {
  flow_bench bench;
  bench.add("emit", emit_name);
  auto run = bench.ask("emit", "progress");
  auto events = bench.events(run.run_id, event_type::custom);
  REQUIRE(events.size() == 1);
  CHECK(events[0].data_json == R"({"data":{},"type":"progress"})");
}

namespace {

co::task<std::string> fail_in_checkpoint(workflow_context flow,
                                         std::string kind) {
  auto caught = std::string{};
  auto fails = [kind] {
    if (kind == "failure")
      throw co::failure{errc::network, "no route"};
    throw std::runtime_error{"no paper"};
  };
  try {
    co_await flow.checkpoint("fails", fails);
  } catch (const co::failure& why) {
    caught = to_string(why.reason() == errc::network ? errc::network
                                                     : errc::internal);
  } catch (const std::runtime_error& why) {
    caught = why.what();
  }
  if (kind == "rethrow")
    throw std::runtime_error{"gave up"};
  co_return caught;
}

} // namespace

TEST_CASE("a failure is recorded and thrown to whoever called", "[workflow]") {
  flow_bench bench;
  bench.add("fail", fail_in_checkpoint);
  auto run = bench.ask("fail", "failure");
  CHECK(run.response == "network");
  auto events = bench.events(run.run_id, event_type::checkpoint);
  REQUIRE(events.size() == 1);
  CHECK(events[0].data_json.find("no route") != std::string::npos);
  CHECK(bench.ask("fail", "other").response == "no paper");
  auto failed = bench.ask("fail", "rethrow");
  CHECK(failed.status == run_status::failed);
  CHECK(failed.error.message == "gave up");
  CHECK_FALSE(failed.has_response);
}

// -- several at once ----------------------------------------------------------

namespace {

std::atomic<int> at_work = 0;
std::atomic<int> most_at_work = 0;
bool third_fails = false;

co::task<int> work_a_while(workflow_context flow, int number) {
  auto now = ++at_work;
  most_at_work = std::max(most_at_work.load(), now);
  auto delay = std::chrono::milliseconds(5 - number);
  co_await flow.sleep(delay);
  --at_work;
  done_once("step " + std::to_string(number));
  if (number == 3 && third_fails)
    throw co::failure{errc::tool, "the third fails"};
  co_return number * 10;
}

co::task<std::string> fan_out(workflow_context flow, std::string) {
  auto steps = std::vector<checkpoint_step<int>>{};
  for (auto i = 1; i <= 5; ++i)
    steps.emplace_back("step " + std::to_string(i), [i](workflow_context x) {
      return work_a_while(std::move(x), i);
    });
  auto result = std::string{};
  try {
    auto all = co_await flow.checkpoint_all(std::move(steps), 2);
    for (auto value : all)
      result += std::to_string(value) + " ";
  } catch (const co::failure& why) {
    result = why.what();
  }
  if (third_fails)
    co_await flow.suspend("mend it");
  co_return result;
}

} // namespace

TEST_CASE("independent checkpoints run at once, as many as may", "[workflow]") {
  fresh_effects fresh;
  third_fails = false;
  most_at_work = 0;
  flow_bench bench;
  auto run = bench.add("fan", fan_out).ask("fan");
  CHECK(run.response == "10 20 30 40 50 ");
  CHECK(most_at_work == 2);
}

TEST_CASE("of several checkpoints one that fails keeps the others",
          "[workflow]") {
  fresh_effects fresh;
  third_fails = true;
  flow_bench bench;
  auto run = bench.add("fan", fan_out).ask("fan");
  REQUIRE(run.status == run_status::suspended);
  CHECK(effects.size() == 5); // all went on to their ends
  third_fails = false;
  run = bench.resume(run.run_id);
  CHECK(run.response == "10 20 30 40 50 ");
  CHECK(effects["step 3"] == 2);
  CHECK(effects["step 1"] + effects["step 5"] == 2);
}

// -- suspension ---------------------------------------------------------------

namespace {

co::task<std::string> inner_suspend(workflow_context flow) {
  co_await flow.suspend("inside");
  co_return std::string{"no"};
}

co::task<std::string> suspend_inside(workflow_context flow, std::string kind) {
  if (kind == "inner")
    co_await flow.checkpoint("x", inner_suspend);
  auto outer = [flow](workflow_context) { return inner_suspend(flow); };
  co_await flow.checkpoint("y", outer);
  co_return std::string{"no"};
}

co::task<std::string> ask_thrice(workflow_context flow, std::string) {
  auto first = co_await flow.suspend("first", "key");
  auto last = flow.resume_input();
  auto second = co_await flow.suspend("second", "key");
  auto third = co_await flow.suspend("third");
  co_return first + second + third + " last " + flow.resume_input();
}

} // namespace

TEST_CASE("a suspension inside a checkpoint is refused", "[workflow]") {
  flow_bench bench;
  bench.add("inside", suspend_inside);
  auto kind = GENERATE("inner", "outer");
  CHECK(is_refused(bench.ask("inside", kind), "inside a checkpoint"));
}

TEST_CASE("each suspension gets what it was brought", "[workflow]") {
  flow_bench bench;
  auto run = bench.add("ask", ask_thrice).ask("ask");
  REQUIRE(run.status == run_status::suspended);
  CHECK(run.suspension.reason == "first");
  CHECK(run.suspension.resume_key == "key");
  CHECK(bench.events(run.run_id).back().type == event_type::suspended);
  CHECK_THROWS_AS(bench.resume(run.run_id, "{no"), co::failure);
  run = bench.resume(run.run_id, "1");
  CHECK(run.suspension.reason == "second");
  run = bench.resume(run.run_id, R"({"a":2})");
  CHECK(run.suspension.reason == "third");
  CHECK(run.suspension.resume_key.empty());
  run = bench.resume(run.run_id);
  CHECK(run.status == run_status::completed);
  CHECK(run.response == R"(1{"a":2}null last null)");
  CHECK_THROWS_AS(bench.resume(run.run_id, "1"), co::failure);
}
