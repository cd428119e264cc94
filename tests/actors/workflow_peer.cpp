// A process with a workflow, for the tests that kill it.
//
//   workflow_peer STORE start   starts the run and prints its id
//   workflow_peer STORE ID [INPUT]   goes on with it
//
// Then prints the run's status and response. Each effect is a line in the file
// "effects" of the working directory.
#include "troupe/actors/troupe.hpp"

#include <boost/describe.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// One line in one write, so that a kill leaves all of it or nothing.
void have_effect(const std::string& name) {
  auto line = name + "\n";
  auto file = open("effects", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  auto written = write(file, line.data(), line.size());
  close(file);
  if (written != static_cast<ssize_t>(line.size()))
    std::abort();
}

struct line {
  std::string text;
};

BOOST_DESCRIBE_STRUCT(line, (), (text))

std::string append_line(tool_context context, line) {
  have_effect("call " + context.idempotency_key());
  std::this_thread::sleep_for(1ms);
  return "done";
}

co::task<int> work(workflow_context flow, int number) {
  co_await flow.sleep(1ms);
  have_effect("step " + std::to_string(number));
  co_return number;
}

co::task<std::string> draft(workflow_context flow) {
  auto text = co_await flow.run_agent("clerk", "append four lines");
  co_return text;
}

co::task<std::string> chain(workflow_context flow, std::string) {
  auto sum = 0;
  for (auto i = 1; i <= 6; ++i) {
    auto step = [i](workflow_context x) { return work(std::move(x), i); };
    auto value = co_await flow.checkpoint("step " + std::to_string(i), step);
    sum += value;
  }
  auto said = co_await flow.run_agent("clerk", "append four lines");
  auto steps = std::vector<checkpoint_step<int>>{};
  for (auto i = 7; i <= 12; ++i)
    steps.emplace_back("step " + std::to_string(i), [i](workflow_context x) {
      return work(std::move(x), i);
    });
  auto all = co_await flow.checkpoint_all(std::move(steps), 3);
  for (auto number : all)
    sum += number;
  auto inside = co_await flow.checkpoint("draft", draft);
  co_await flow.artifact("sum", std::to_string(sum));
  auto word = co_await flow.suspend("go on?", "word");
  co_return word + " " + std::to_string(sum) + " " + said + " " + inside;
}

runtime_options options_for(const std::string& store) {
  auto clerk = agent{"clerk"};
  clerk.model("cassette:clerk.yaml");
  auto spec = tool_spec{};
  spec.name = "append_line";
  spec.description = "Appends a line.";
  spec.blocking = true;
  spec.exclusive = true;
  spec.recovery = recovery_class::idempotent;
  clerk.use(make_tool(spec, append_line));
  auto result = runtime_options{};
  result.agents = {clerk};
  result.workflows = {make_workflow("chain", chain)};
  result.settings.storage.path = store;
  result.settings.permissions.mode = permission_mode::auto_allow;
  result.settings.sandbox.provider = "virtual";
  result.on_log = [](log_level, const std::string&) {};
  return result;
}

execution begin(runtime& host, int argc, char** argv) {
  if (argv[2] == std::string{"start"}) {
    auto request = run_request{};
    request.agent = "chain";
    return host.start(request);
  }
  host.reconcile_runs();
  auto order = resume_run{};
  order.run_id = argv[2];
  if (argc > 3)
    order.input_json = argv[3];
  return host.resume(order);
}

} // namespace

int main(int argc, char** argv) {
  try {
    runtime host{options_for(argv[1])};
    auto run = begin(host, argc, argv);
    std::cout << run.run_id() << "\n" << std::flush;
    auto object = run.wait();
    std::cout << to_string(object.status) << " " << object.response
              << object.error.message << "\n"
              << std::flush;
    return 0;
  } catch (const co::failure& why) {
    std::cout << "failed " << why.what() << "\n" << std::flush;
    return 1;
  }
}
