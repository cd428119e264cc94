#include "support/catch.hpp"

#include "troupe/runtime/run/step_recorder.hpp"

#include "actors/workflow_bench.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr auto many = size_t{1100};

co::task<std::string> ask_often(workflow_context flow, std::string) {
  auto text = std::string{};
  for (auto i = size_t{0}; i < many; ++i) {
    auto asked = flow.run_agent("writer", "again");
    text = co_await asked;
  }
  co_return text;
}

co::task<std::string> ask_in_vain(workflow_context flow, std::string) {
  auto asked = flow.run_agent("writer", "again");
  auto text = co_await asked;
  co_return text;
}

} // namespace

TEST_CASE("a run of many steps keeps the first and counts the others",
          "[trajectory]") {
  flow_bench bench;
  bench.add("often", ask_often);
  auto run = bench.ask("often");
  CHECK(run.status == run_status::completed);
  CHECK(run.steps.size() == most_steps);
  CHECK(run.steps_left_out == many - most_steps);
  CHECK(run.transitions.size() == many);
  CHECK(run.usage.model_requests == many);
  auto stored = bench.host().find_run(run.run_id);
  REQUIRE(stored);
  REQUIRE(*stored);
  CHECK((*stored)->steps.size() == most_steps);
  CHECK((*stored)->steps_left_out == run.steps_left_out);
  for (const auto& step : (*stored)->steps)
    if (step.status != run_status::completed || step.ended_at == 0)
      FAIL(step.name);
}

TEST_CASE("a step that failed has the kind of its error", "[trajectory]") {
  flow_bench bench{"  - error: {kind: auth, status: 401}\n"};
  bench.add("vain", ask_in_vain);
  auto run = bench.ask("vain");
  CHECK(run.status == run_status::failed);
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].error_kind == "auth");
  CHECK(run.steps[0].status == run_status::failed);
}
