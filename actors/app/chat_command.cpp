#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/event_printer.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/line_reader.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/setup.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/messages/ids.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <iostream>

namespace troupe::app {

namespace {

/// One turn; a failure is shown and the conversation goes on. Whether the next
/// one could end otherwise.
bool take_turn(runtime& host, run_request request, const options& x,
               interrupts& signals) {
  auto agent = request.agent;
  request.with_events = true;
  auto run = host.start(std::move(request));
  signals.on_first([&run] { run.cancel("interrupted"); });
  auto form = x.events || x.json ? output_form::events : output_form::text;
  auto printer = event_printer{form, run.run_id(), agent};
  while (auto event = run.next())
    printer.show(*event);
  auto object = run.wait();
  printer.show_end(object);
  return !is_misconfigured(object);
}

int converse(runtime& host, const run_request& request, const options& x,
             interrupts& signals) {
  auto lines = line_reader{"> "};
  for (;;) {
    signals.on_first([] {
      std::cerr << "\n(Ctrl-D leaves, Ctrl-C again ends at once)\n> "
                << std::flush;
    });
    auto line = lines.next();
    if (!line)
      break;
    if (line->empty())
      continue;
    auto turn = request;
    turn.input = std::move(*line);
    if (!take_turn(host, std::move(turn), x, signals))
      return exit_usage;
  }
  signals.on_first(nullptr);
  return exit_completed;
}

} // namespace

int chat_with_agent(const options& x, interrupts& signals) {
  auto setup = setup_for(x);
  if (!setup)
    return report(setup.error());
  auto& request = setup->request;
  if (request.session_id.empty()) {
    request.session_id = id_maker{}.next(now_micros());
    std::cerr << "session " << request.session_id << '\n';
  }
  try {
    auto host = runtime{std::move(setup->runtime)};
    return converse(host, request, x, signals);
  } catch (const co::failure& why) {
    return report(why.reason());
  }
}

} // namespace troupe::app
