#include "troupe/actors/app/show_run.hpp"

#include "troupe/actors/app/event_printer.hpp"
#include "troupe/actors/app/exit_code.hpp"

namespace troupe::app {

namespace {

output_form form_of(const options& x) {
  if (x.events)
    return output_form::events;
  return x.json ? output_form::object : output_form::text;
}

} // namespace

bool wants_events(const options& x) {
  return form_of(x) != output_form::object;
}

int show_run(execution& run, const std::string& agent, const options& x,
             interrupts& signals) {
  signals.on_first([&run] { run.cancel("interrupted"); });
  auto printer = event_printer{form_of(x), run.run_id(), agent};
  while (auto event = run.next())
    printer.show(*event);
  auto object = run.wait();
  signals.on_first(nullptr);
  printer.show_end(object);
  return exit_code_of(object);
}

} // namespace troupe::app
