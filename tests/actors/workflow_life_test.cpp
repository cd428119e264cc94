#include "support/catch.hpp"

#include "troupe/runtime/co/when_all.hpp"

#include "caf/actor_registry.hpp"

#include "actors/workflow_bench.hpp"

#include <atomic>
#include <thread>

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr auto writes_a_file = R"(
  - expect: {last_user: bees}
    reply: {tool_calls: [{id: c1, name: read_file, arguments: {path: a.txt}}], usage: {input_tokens: 7, output_tokens: 3}}
  - reply: {text: "It says {{last_tool.content}}.", usage: {input_tokens: 9, output_tokens: 4}}
)";

std::vector<staged_file> one_file(std::string path, std::string content) {
  auto result = std::vector<staged_file>{};
  result.push_back({std::move(path), std::move(content)});
  return result;
}

co::task<std::string> write_about(workflow_context flow, std::string topic) {
  auto files = one_file("a.txt", "buzz");
  co_await flow.stage(std::move(files));
  auto first = co_await flow.run_agent("writer", "Write about " + topic);
  auto go_on = co_await flow.suspend("read it");
  auto second = co_await flow.run_agent("writer", "And about bees again");
  co_return first + go_on + second;
}

} // namespace

// -- agents -------------------------------------------------------------------

TEST_CASE("an agent of a workflow is a step in the run's own workspace",
          "[workflow]") {
  flow_bench bench{writes_a_file};
  bench.writer().use("read_file");
  auto run = bench.add("write", write_about).ask("write", "bees");
  REQUIRE(run.status == run_status::suspended);
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].participant == "writer");
  CHECK(run.steps[0].name == "writer");
  CHECK(run.steps[0].status == run_status::completed);
  CHECK(run.usage.tokens.input_tokens == 16);
  CHECK(run.usage.tokens.output_tokens == 7);
  CHECK(run.usage.model_requests == 2);
  CHECK(run.usage.tool_calls == 1);

  auto events = bench.events(run.run_id);
  auto types = std::string{};
  for (const auto& event : events)
    types += to_string(event.type) + " ";
  CHECK(types
        == "run_start step_start invocation_start message_start usage "
           "tool_call message_stop tool_result message_start usage "
           "message_stop invocation_stop step_stop suspended ");
  CHECK(events[2].participant == "writer");
  CHECK(events[10].text == "It says buzz."); // read from its conversation
  CHECK(events[13].participant.empty());

  auto messages = bench.host().messages({"writer", run.run_id + "/writer", ""});
  REQUIRE(messages);
  REQUIRE(messages->size() == 4);
  CHECK((*messages)[0]->text == "Write about bees");

  // The second leg does not ask the first agent again, but runs the second,
  // whose file is gone with the workspace in memory until it is staged again.
  run = bench.resume(run.run_id, R"(" then ")");
  CHECK(run.status == run_status::completed);
  CHECK(run.response == "It says buzz.\" then \"It says buzz.");
  CHECK(run.steps.size() == 2);
  CHECK(run.steps[1].name == "writer#2");
  CHECK(run.usage.model_requests == 4);
  CHECK(bench.events(run.run_id, event_type::step_start).size() == 2);
}

namespace {

co::task<std::string> survive(workflow_context flow, std::string name) {
  auto said = std::string{};
  try {
    said = co_await flow.run_agent(name, "go");
  } catch (const co::failure& why) {
    said = to_string(to_fault(why.reason()).kind);
  }
  co_return "said " + said;
}

} // namespace

TEST_CASE("an agent's failure is recorded and thrown", "[workflow]") {
  flow_bench bench{"  - error: {kind: auth, status: 401}\n"};
  bench.add("survive", survive);
  auto run = bench.ask("survive", "writer");
  CHECK(run.response == "said auth");
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].status == run_status::failed);
  auto ends = bench.events(run.run_id, event_type::step_stop);
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].data_json.find("failed") != std::string::npos);
  CHECK(bench.ask("survive", "nobody").response == "said configuration");
}

namespace {

co::task<std::string> two_writers(workflow_context flow, std::string) {
  auto both = std::vector<co::task<std::string>>{};
  both.push_back(flow.run_agent("writer", "one"));
  both.push_back(flow.run_agent("writer", "two"));
  auto said = co_await co::when_all(std::move(both));
  co_return said[0] + said[1];
}

co::task<std::string> write_inside(workflow_context flow) {
  auto said = co_await flow.run_agent("writer", "inside");
  co_return said;
}

co::task<std::string> writer_in_checkpoint(workflow_context flow, std::string) {
  auto said = co_await flow.checkpoint("draft", write_inside);
  co_await flow.suspend("look");
  auto more = co_await flow.run_agent("writer", "outside");
  co_return said + more;
}

} // namespace

TEST_CASE("agents at once have conversations and events of their own",
          "[workflow]") {
  flow_bench bench{"  - reply: {text: \"({{input}})\", delay: 5ms}\n"};
  auto run = bench.add("two", two_writers).ask("two");
  CHECK(run.response == "(one)(two)");
  CHECK(run.steps.size() == 2);
  CHECK(bench.events(run.run_id, event_type::message_stop).size() == 2);
}

TEST_CASE("an agent in a checkpoint is another than one outside",
          "[workflow]") {
  flow_bench bench{"  - reply: {text: \"({{input}})\"}\n"};
  auto run = bench.add("draft", writer_in_checkpoint).ask("draft");
  run = bench.resume(run.run_id);
  CHECK(run.response == "(inside)(outside)");
  REQUIRE(run.steps.size() == 2);
  CHECK(run.steps[0].name == "draft/writer");
  CHECK(run.steps[1].name == "writer");
}

TEST_CASE("a call of an agent that waits for a person suspends the workflow",
          "[workflow]") {
  flow_bench bench{R"(
  - reply: {tool_calls: [{id: c1, name: write_file, arguments: {path: b.txt, content: x}}]}
  - reply: {text: "Wrote {{last_tool.bytes}}."}
)"};
  bench.writer().use("write_file");
  bench.options().settings.permissions.mode = permission_mode::approve;
  auto run = bench.add("survive", survive).ask("survive", "writer");
  REQUIRE(run.status == run_status::suspended);
  CHECK(run.suspension.reason == "approval");
  REQUIRE(run.suspension.approvals.size() == 1);
  CHECK(run.suspension.approvals[0].call.id == "c1");
  CHECK(run.steps.at(0).status == run_status::suspended);
  CHECK_THROWS_AS(bench.resume(run.run_id, "1"), co::failure);

  SECTION("once approved it goes on") {
    auto order = resume_run{};
    order.run_id = run.run_id;
    order.decisions.push_back({"c1", true, {}});
    run = bench.host().resume(order).wait();
    CHECK(run.response == "said Wrote 1.");
    CHECK(run.steps.size() == 1);
    CHECK(run.usage.model_requests == 2);
  }
  SECTION("without a decision it waits again") {
    run = bench.resume(run.run_id);
    CHECK(run.status == run_status::suspended);
    CHECK(run.suspension.approvals.size() == 1);
    CHECK(bench.events(run.run_id, event_type::approval_request).size() == 2);
  }
}

// -- files and artifacts ------------------------------------------------------

namespace {

struct no_arguments {};

BOOST_DESCRIBE_STRUCT(no_arguments, (), ())

std::string nothing(no_arguments) {
  return "nothing";
}

co::task<std::string> keep_things(workflow_context flow, std::string said) {
  co_await flow.artifact("plain.txt", said);
  auto files = one_file("made.csv", "a,b");
  co_await flow.stage(std::move(files));
  co_await flow.artifact_from_file("data/made.csv", "made.csv", "text/csv");
  auto values = R"({"said": ")" + said + R"(", "secret": "42"})";
  co_await flow.artifact_from_template("page.md", "# {{said}}", values);
  co_await flow.suspend("look");
  auto names = co_await flow.restore_artifacts();
  auto request = read_file_request{"data/made.csv", 1, 0};
  auto files_of = co_await flow.sandbox();
  auto read = co::request<read_file_result>(flow.self(), files_of,
                                            caf::infinite, request);
  auto found = co_await read;
  co_return std::to_string(names.size()) + " " + found.content;
}

} // namespace

TEST_CASE("artifacts come from content, files and templates, and come back",
          "[workflow]") {
  flow_bench bench;
  auto run = bench.add("keep", keep_things).ask("keep", "{{secret}}");
  REQUIRE(run.status == run_status::suspended);
  CHECK(bench.artifact(run.run_id, "plain.txt") == "{{secret}}");
  CHECK(bench.artifact(run.run_id, "data/made.csv") == "a,b");
  // What was put in is data, whatever it looks like.
  CHECK(bench.artifact(run.run_id, "page.md") == "# {{secret}}");
  CHECK(bench.artifact(run.run_id, "none").empty());
  auto all = bench.host().artifacts(run.run_id);
  REQUIRE(all);
  REQUIRE(all->size() == 3);
  CHECK((*all)[0].name == "data/made.csv");
  CHECK((*all)[0].media_type == "text/csv");
  run = bench.resume(run.run_id);
  CHECK(run.response == "3 a,b");
  // Those that are the same in the second leg are no news.
  CHECK(bench.events(run.run_id, event_type::artifact).size() == 3);
}

namespace {

co::task<std::string> stage_at(workflow_context flow, std::string path) {
  auto files = one_file(path, "new");
  co_await flow.stage(std::move(files));
  co_return std::string{"staged"};
}

} // namespace

TEST_CASE("files are staged over what is there, and nowhere else",
          "[workflow]") {
  flow_bench bench;
  bench.options().settings.sandbox.provider = "unrestricted";
  bench.folder().write("here/old.txt", "old");
  bench.options().settings.workspace.root
    = (bench.folder().path() / "here").string();
  bench.add("stage", stage_at);
  CHECK(bench.ask("stage", "old.txt").status == run_status::completed);
  CHECK(bench.folder().read("here/old.txt") == "new");
  CHECK(bench.ask("stage", "deep/er.txt").status == run_status::completed);
  CHECK(bench.folder().read("here/deep/er.txt") == "new");
  auto run = bench.ask("stage", "../model.yaml");
  CHECK(run.status == run_status::failed);
  CHECK(bench.folder().read("model.yaml") != "new");
}

TEST_CASE("what an agent produces is kept however its run ends", "[workflow]") {
  auto end = GENERATE("completed", "failed", "suspended", "missing");
  auto kind = std::string{end};
  auto last = kind == "failed" ? "error: {kind: auth, status: 401}"
              : kind == "suspended"
                ? "reply: {tool_calls: [{id: c2, name: add_file, arguments: "
                  "{}}]}"
                : "reply: {text: done}";
  auto path = std::string{kind == "missing" ? "b.md" : "a.md"};
  flow_bench bench{"  - reply: {tool_calls: [{id: c1, name: write_file, "
                   "arguments: {path: a.md, content: \"# A\\n\"}}]}\n  - "
                   + std::string{last} + "\n"};
  auto spec = tool_spec{};
  spec.name = "add_file";
  spec.description = "Waits for a person.";
  spec.capability = "shell";
  bench.writer().use("write_file").produces(path).use(make_tool(spec, nothing));
  auto rules = permission_settings{};
  rules.mode = permission_mode::approve;
  rules.allow = {"write"};
  bench.writer().permissions(rules);
  bench.add("survive", survive);
  for (const auto* name : {"writer", "survive"}) { // alone, and as a step
    auto run = bench.ask(name, "writer");
    INFO(name << " " << to_string(run.status));
    CHECK(bench.artifact(run.run_id, "a.md")
          == (kind == "missing" ? "" : "# A\n"));
    CHECK(run.cleanup_failures.empty());
    CHECK((run.status == run_status::suspended) == (kind == "suspended"));
  }
}

// -- the life of a run --------------------------------------------------------

namespace {

std::atomic<bool> has_begun = false;
std::atomic<bool> has_ended = false;

void block_a_while() {
  has_begun = true;
  std::this_thread::sleep_for(50ms); // a blocking call that nobody can stop
  has_ended = true;
}

co::task<int> sleep_long(workflow_context flow) {
  has_begun = true;
  co_await flow.sleep(1h);
  co_return 1;
}

co::task<std::string> stay(workflow_context flow, std::string kind) {
  auto before = [] {};
  co_await flow.checkpoint("before", before);
  if (kind == "blocking")
    co_await flow.checkpoint("stays", block_a_while);
  if (kind == "agent")
    co_await flow.run_agent("writer", "sleep");
  co_await flow.checkpoint("sleeps", sleep_long);
  co_return std::string{"no"};
}

run_object cancel_in_mid_work(flow_bench& bench, const std::string& kind) {
  has_begun = has_ended = false;
  auto request = run_request{};
  request.agent = "stay";
  request.input = kind;
  request.with_events = true;
  auto run = bench.host().start(request);
  while (auto event = run.next())
    if (event->type == event_type::checkpoint
        || event->type == event_type::message_start)
      if (kind != "agent" || event->type == event_type::message_start)
        break;
  while (kind != "agent" && !has_begun)
    std::this_thread::yield();
  run.cancel("enough");
  auto result = run.wait();
  CHECK(has_ended == (kind == "blocking"));
  return result;
}

} // namespace

TEST_CASE("a workflow can be cancelled in the middle of anything",
          "[workflow]") {
  flow_bench bench{"  - reply: {text: late, delay: 1h}\n"};
  bench.add("stay", stay);
  auto kind = GENERATE("blocking", "sleeping", "agent");
  auto run = cancel_in_mid_work(bench, kind);
  CHECK(run.status == run_status::cancelled);
  CHECK(run.error.message == "enough");
  auto events = bench.events(run.run_id);
  CHECK(events.back().type == event_type::run_cancel);
  CHECK(bench.events(run.run_id, event_type::checkpoint).size() == 1);
  for (const auto& step : run.steps)
    CHECK(step.status == run_status::cancelled);
  CHECK_THROWS_AS(bench.resume(run.run_id), co::failure);
}

TEST_CASE("a workflow's deadline ends it as partial", "[workflow]") {
  flow_bench bench{"  - reply: {text: late, delay: 1h}\n"};
  bench.add("stay", stay);
  auto request = run_request{};
  request.agent = "stay";
  request.input = GENERATE("sleeping", "agent");
  request.deadline = 50ms;
  auto run = bench.host().ask(request);
  CHECK(run.status == run_status::partial);
  CHECK(bench.events(run.run_id).back().type == event_type::run_partial);
}

namespace {

co::task<std::string> wait_for_word(workflow_context flow, std::string) {
  auto word = co_await flow.suspend("say it");
  co_return word;
}

} // namespace

TEST_CASE("a thousand suspended workflows hold no actor", "[workflow]") {
  flow_bench bench;
  bench.add("wait", wait_for_word);
  auto& host = bench.host();
  auto before = host.system().registry().running();
  auto ids = std::vector<std::string>{};
  for (auto i = 0; i < 1000; ++i)
    ids.push_back(bench.ask("wait").run_id);
  // Those that have just ended may not be gone yet.
  for (auto i = 0; i < 2000 && host.system().registry().running() > before; ++i)
    std::this_thread::sleep_for(5ms);
  CHECK(host.system().registry().running() <= before);
  auto query = list_runs{};
  query.by_status = true;
  query.status = run_status::suspended;
  query.kind = "workflow";
  query.max = 5000;
  auto waiting = host.list_runs(query);
  REQUIRE(waiting);
  CHECK(waiting->size() == 1000);
  CHECK(bench.resume(ids[500], "7").response == "7");
}

TEST_CASE("a suspended workflow is cancelled without being entered",
          "[workflow]") {
  flow_bench bench;
  auto run = bench.add("wait", wait_for_word).ask("wait");
  auto cancelled = bench.host().cancel_run(run.run_id, "no more");
  CHECK(cancelled.status == run_status::cancelled);
  CHECK(bench.events(run.run_id).back().type == event_type::run_cancel);
}

TEST_CASE("a worker takes queued workflows, and those that were brought "
          "something",
          "[workflow]") {
  flow_bench bench;
  bench.add("wait", wait_for_word);
  auto order = queue_run{};
  order.request.agent = "wait";
  auto queued = bench.host().run_later(order);
  CHECK(queued.kind == "workflow");
  auto options = worker_options{};
  options.once = true;
  bench.host().start_work(options).wait();
  auto now = bench.host().find_run(queued.run_id);
  REQUIRE((now && *now));
  CHECK((**now).status == run_status::suspended);
  auto next = resume_run{};
  next.run_id = queued.run_id;
  next.input_json = "8";
  bench.host().resume_later(next);
  bench.host().start_work(options).wait();
  now = bench.host().find_run(queued.run_id);
  REQUIRE((now && *now));
  CHECK((**now).response == "8");
}
