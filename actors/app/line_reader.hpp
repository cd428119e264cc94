#pragma once

#include <optional>
#include <string>

namespace troupe::app {

/// Reads lines from stdin: with editing and history on a terminal, plain
/// otherwise. The history is kept in `$XDG_STATE_HOME/troupe/chat_history`.
class line_reader {
public:
  explicit line_reader(std::string prompt);
  line_reader(const line_reader&) = delete;
  line_reader& operator=(const line_reader&) = delete;
  ~line_reader();

  /// The next line without its end, or nothing at the end of the input.
  std::optional<std::string> next();

private:
  std::string prompt_;
  bool is_terminal_;
  /// Empty: none can be kept.
  std::string history_;
};

} // namespace troupe::app
