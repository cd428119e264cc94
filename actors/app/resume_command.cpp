#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/setup.hpp"
#include "troupe/actors/app/show_run.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/run_json.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace troupe::app {

namespace {

caf::error check_flags(const options& x) {
  auto wrong = [](const char* what) {
    return make_error(errc::configuration, what, "command line");
  };
  if (x.json && x.events)
    return wrong("--json and --events exclude each other");
  auto decides = x.approve || x.deny;
  if (!x.call.empty() && !decides)
    return wrong("--call needs --approve or --deny");
  if (!x.reason.empty() && !x.deny)
    return wrong("--reason needs --deny");
  if (!x.input.empty() && !parse_json(x.input))
    return wrong("--input is no JSON");
  return {};
}

resume_run order_of(const options& x) {
  auto result = resume_run{};
  result.run_id = x.id;
  result.input_json = x.input;
  result.with_events = wants_events(x);
  if (x.approve || x.deny)
    result.decisions.push_back({x.call, x.approve, x.reason});
  return result;
}

/// Shows what a worker's runs come to, and lets the program end it.
int work_to_end(runtime& host, const options& x, interrupts& signals) {
  auto options = worker_options{};
  if (x.has_queue)
    options.queue = x.queue;
  options.once = x.once;
  options.on_end = [as_json = x.json](const run_object& run) {
    auto line = as_json ? run_json(run).dump()
                        : run.run_id + "  " + to_string(run.status);
    std::cout << line + "\n" << std::flush;
  };
  auto work = host.start_work(std::move(options));
  signals.on_first([&work] { work.stop(); });
  work.wait();
  signals.on_first(nullptr);
  return exit_completed;
}

} // namespace

int resume_run_command(const options& x, interrupts& signals) {
  if (auto why = check_flags(x))
    return report(why);
  auto setup = runtime_setup_for(x);
  if (!setup)
    return report(setup.error());
  try {
    auto host = runtime{std::move(*setup)};
    auto found = host.find_run(x.id);
    if (!found)
      return report(found.error());
    auto agent = *found ? (*found)->name : std::string{};
    auto run = host.resume(order_of(x));
    return show_run(run, agent, x, signals);
  } catch (const co::failure& why) {
    return report(why.reason());
  }
}

int cancel_run_command(const options& x) {
  auto setup = runtime_setup_for(x);
  if (!setup)
    return report(setup.error());
  try {
    auto host = runtime{std::move(*setup)};
    auto object = host.cancel_run(x.id, x.reason);
    if (x.json)
      std::cout << run_json(object).dump(2) << std::endl;
    else
      std::cout << to_string(object.status) << std::endl;
    return exit_completed;
  } catch (const co::failure& why) {
    return report(why.reason());
  }
}

int work_command(const options& x, interrupts& signals) {
  auto setup = runtime_setup_for(x);
  if (!setup)
    return report(setup.error());
  try {
    auto host = runtime{std::move(*setup)};
    return work_to_end(host, x, signals);
  } catch (const co::failure& why) {
    return report(why.reason());
  }
}

} // namespace troupe::app
