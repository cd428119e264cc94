#include "troupe/actors/app/event_printer.hpp"

#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/terminal.hpp"
#include "troupe/config/parse_units.hpp"
#include "troupe/runtime/run/call_decisions.hpp"
#include "troupe/runtime/run/run_json.hpp"
#include "troupe/runtime/text/utf8.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <utility>

#include <unistd.h>

namespace troupe::app {

namespace {

/// Who does it, where that is not the run itself.
std::string who(const run_event& event) {
  return event.source ? event.participant + ": " : std::string{};
}

} // namespace

event_printer::event_printer(output_form form, std::string run_id,
                             std::string agent)
  : form_(form),
    run_id_(std::move(run_id)),
    agent_(std::move(agent)),
    is_terminal_(app::is_terminal(STDOUT_FILENO)),
    has_colour_(has_colour()) {
  // nop
}

void event_printer::show(const run_event& event) {
  if (form_ == output_form::events)
    std::cout << event_json(event, run_id_, agent_).dump() << '\n'
              << std::flush;
  else if (form_ == output_form::text)
    show_text(event);
}

// How a participant ended, unless well, and to whom it handed over.
void event_printer::show_step(const run_event& event) {
  auto data = nlohmann::json::parse(event.data_json, nullptr, false);
  if (!data.is_object())
    return;
  auto status = data.value("status", std::string{});
  if (event.type == event_type::handoff)
    show_progress("⇢ " + event.participant + " hands over to "
                  + data.value("to", std::string{}));
  else if (status != to_string(run_status::completed)
           && status != to_string(run_status::suspended))
    show_progress("✗ " + event.participant + " " + status);
}

// Of what parts of a run tell: what a command was kept from.
void event_printer::show_note(const run_event& event) {
  if (event.text != "network")
    return;
  auto data = nlohmann::json::parse(event.data_json, nullptr, false);
  if (data.is_object() && !data.value("allowed", true))
    show_progress("✗ network "
                  + excerpt(data.value("destination", std::string{}), 160)
                  + " refused: " + data.value("reason", std::string{}));
}

void event_printer::show_text(const run_event& event) {
  switch (event.type) {
    case event_type::text_delta:
      if (event.source) // somebody's whose answer is not the run's
        break;
      std::cout << (is_terminal_ ? printable(event.text) : event.text)
                << std::flush;
      in_line_ = in_line_ || !event.text.empty();
      if (!event.text.empty())
        in_line_ = event.text.back() != '\n';
      break;
    case event_type::tool_call:
      show_progress("→ " + who(event) + event.call->name + " "
                    + excerpt(event.call->arguments, 160));
      break;
    case event_type::tool_result:
      if (event.is_error)
        show_progress("✗ " + who(event) + event.call->name + " "
                      + excerpt(event.call->arguments, 160));
      break;
    case event_type::model_retry:
      show_progress("↻ " + who(event) + "attempt "
                    + std::to_string(event.attempt) + " after "
                    + to_string(event.why->kind) + ": "
                    + excerpt(event.why->message, 200));
      break;
    case event_type::step_start:
      show_progress("▸ " + event.participant);
      break;
    case event_type::step_stop:
    case event_type::handoff:
      show_step(event);
      break;
    case event_type::custom:
      show_note(event);
      break;
    default:
      break;
  }
}

void event_printer::show_progress(const std::string& line) {
  if (in_line_)
    std::cout << '\n' << std::flush;
  in_line_ = false;
  auto text = printable(line);
  if (has_colour_)
    text = "\x1B[2m" + text + "\x1B[0m";
  std::cerr << text << '\n';
}

void event_printer::show_end(const run_object& run) {
  if (form_ == output_form::object)
    std::cout << run_json(run).dump(2) << '\n' << std::flush;
  if (form_ == output_form::text && in_line_)
    std::cout << '\n' << std::flush;
  in_line_ = false;
  for (const auto& failure : run.cleanup_failures)
    std::cerr << "troupe: internal: could not clean up: " << printable(failure)
              << '\n';
  if (run.has_error)
    report(run.error);
  if (run.status == run_status::suspended && form_ != output_form::events)
    show_suspension(run);
}

void event_printer::show_suspension(const run_object& run) {
  const auto& waiting = run.suspension;
  std::cerr << "suspended: " << printable(waiting.reason) << '\n';
  for (const auto& one : waiting.approvals)
    std::cerr << "  " << printable(name_of(waiting, one)) << "  "
              << one.capability << "  "
              << printable(one.call.name + " "
                           + excerpt(one.call.arguments, 160))
              << '\n';
  auto how = waiting.approvals.size() > 1 ? " --approve --call ID" : "";
  if (waiting.approvals.size() == 1)
    how = " --approve";
  std::cerr << "hint: troupe runs resume " << run.run_id << how << '\n';
}

} // namespace troupe::app
