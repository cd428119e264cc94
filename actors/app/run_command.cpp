#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/setup.hpp"
#include "troupe/actors/app/show_run.hpp"
#include "troupe/actors/app/terminal.hpp"
#include "troupe/config/parse_units.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/run/run_json.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <iostream>
#include <iterator>

#include <unistd.h>

namespace troupe::app {

namespace {

caf::expected<std::string> prompt_of(const options& x) {
  if (x.has_prompt && x.prompt != "-")
    return x.prompt;
  if (!x.has_prompt && is_terminal(STDIN_FILENO))
    return make_error(errc::configuration, "there is no prompt", {},
                      "give one behind the agent, or pipe it to stdin");
  auto text = std::string{std::istreambuf_iterator<char>{std::cin}, {}};
  // As the shell does for $(…): the line's end is not part of what was said.
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

int run_to_end(runtime& host, run_request request, const options& x,
               interrupts& signals) {
  auto agent = request.agent;
  request.with_events = wants_events(x);
  request.include_agent_events = !x.no_agent_events;
  auto run = host.start(std::move(request));
  return show_run(run, agent, x, signals);
}

/// When a run that is put off may start; 0: at once.
caf::expected<int64_t> due_time(const options& x) {
  if (!x.wait.empty() && !x.wait_until.empty())
    return make_error(errc::configuration,
                      "--wait and --wait-until exclude each other",
                      "command line");
  if (!x.wait_until.empty()) {
    auto due = parse_rfc3339(x.wait_until);
    if (!due)
      return make_error(errc::configuration, to_fault(due.error()).message,
                        "--wait-until");
    return due;
  }
  if (x.wait.empty())
    return int64_t{0};
  auto delay = parse_duration(x.wait);
  if (!delay)
    return make_error(errc::configuration, to_fault(delay.error()).message,
                      "--wait");
  using std::chrono::duration_cast;
  return now_micros()
         + duration_cast<std::chrono::microseconds>(*delay).count();
}

caf::error check_flags(const options& x) {
  auto wrong = [](const char* what) {
    return make_error(errc::configuration, what, "command line");
  };
  if (x.json && x.events)
    return wrong("--json and --events exclude each other");
  auto is_put_off = !x.wait.empty() || !x.wait_until.empty()
                    || !x.queue.empty();
  if (is_put_off && !x.later)
    return wrong("--wait, --wait-until and --queue need --later");
  if (x.later && x.events)
    return wrong("--later and --events exclude each other");
  if (x.later && !x.record.empty())
    return wrong("--later and --record exclude each other");
  return {};
}

/// The files of --attach; looked at before anything runs. All that is wrong is
/// told at once.
caf::error attach_files(const options& x, run_request& out) {
  if (x.attach.size() > most_message_blocks)
    return make_error(errc::configuration,
                      "at most " + std::to_string(most_message_blocks)
                        + " files can be attached",
                      "--attach");
  auto wrong = std::vector<fault>{};
  auto left = most_block_bytes;
  for (const auto& path : x.attach) {
    auto block = read_block(path);
    if (!block) {
      for (auto& one : to_faults(block.error()))
        wrong.push_back(std::move(one));
      continue;
    }
    if (block->size > left) // what is too much is not kept in memory
      return make_error(errc::configuration,
                        "the attachments have more than "
                          + std::to_string(most_block_bytes >> 20)
                          + " MiB together",
                        path);
    left -= block->size;
    out.attachments.push_back(std::move(*block));
  }
  return wrong.empty() ? caf::error{} : make_error(std::move(wrong));
}

int put_off(runtime& host, run_request request, const options& x, int64_t due) {
  auto order = queue_run{std::move(request), x.queue, due};
  auto object = host.run_later(std::move(order));
  if (x.json)
    std::cout << run_json(object).dump(2) << std::endl;
  else
    std::cout << object.run_id << std::endl;
  return exit_completed;
}

} // namespace

int run_agent(const options& x, interrupts& signals) {
  if (auto why = check_flags(x))
    return report(why);
  auto due = due_time(x);
  if (!due)
    return report(due.error());
  auto setup = setup_for(x);
  if (!setup)
    return report(setup.error());
  if (auto why = attach_files(x, setup->request))
    return report(why);
  auto prompt = prompt_of(x);
  if (!prompt)
    return report(prompt.error());
  setup->request.input = std::move(*prompt);
  try {
    auto host = runtime{std::move(setup->runtime)};
    if (x.later)
      return put_off(host, std::move(setup->request), x, *due);
    return run_to_end(host, std::move(setup->request), x, signals);
  } catch (const co::failure& why) {
    return report(why.reason());
  }
}

} // namespace troupe::app
