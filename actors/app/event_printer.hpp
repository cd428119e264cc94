#pragma once

#include "troupe/runtime/messages/run_messages.hpp"

#include <cstdint>
#include <string>

namespace troupe::app {

/// How a run is shown.
enum class output_form : uint8_t {
  /// The answer on stdout as it comes, progress on stderr.
  text,
  /// Each event as a JSON line on stdout.
  events,
  /// The run object on stdout, at the end.
  object,
};

/// Shows one run. One thread.
class event_printer {
public:
  event_printer(output_form form, std::string run_id, std::string agent);

  void show(const run_event& event);

  /// What is left to show when the run has ended.
  void show_end(const run_object& run);

private:
  void show_note(const run_event& event);
  void show_step(const run_event& event);
  void show_text(const run_event& event);
  void show_suspension(const run_object& run);
  void show_progress(const std::string& line);

  output_form form_;
  std::string run_id_;
  std::string agent_;
  bool is_terminal_;
  bool has_colour_;
  /// Whether the cursor of stdout stands behind a piece of an answer.
  bool in_line_ = false;
};

} // namespace troupe::app
