#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/event_printer.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/setup.hpp"
#include "troupe/actors/app/terminal.hpp"
#include "troupe/runtime/co/failure.hpp"

#include <iostream>
#include <iterator>

#include <unistd.h>

namespace troupe::app {

namespace {

output_form form_of(const options& x) {
  if (x.events)
    return output_form::events;
  return x.json ? output_form::object : output_form::text;
}

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
  request.with_events = form_of(x) != output_form::object;
  auto run = host.start(std::move(request));
  signals.on_first([&run] { run.cancel("interrupted"); });
  auto printer = event_printer{form_of(x), run.run_id(), agent};
  while (auto event = run.next())
    printer.show(*event);
  auto object = run.wait();
  signals.on_first(nullptr);
  printer.show_end(object);
  return exit_code_of(object);
}

} // namespace

int run_agent(const options& x, interrupts& signals) {
  if (x.json && x.events)
    return report(make_error(errc::configuration,
                             "--json and --events exclude each other",
                             "command line"));
  auto setup = setup_for(x);
  if (!setup)
    return report(setup.error());
  auto prompt = prompt_of(x);
  if (!prompt)
    return report(prompt.error());
  setup->request.input = std::move(*prompt);
  try {
    auto host = runtime{std::move(setup->runtime)};
    return run_to_end(host, std::move(setup->request), x, signals);
  } catch (const co::failure& why) {
    return report(why.reason());
  }
}

} // namespace troupe::app
