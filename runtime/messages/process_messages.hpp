#pragma once

#include "troupe/runtime/messages/sandbox_messages.hpp"

#include "caf/meta/type_name.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

// A command that somebody talks with: its actor is started by a sandbox, and
// ends with the actor that asked for it, with the sandbox, or when it is
// closed.

/// Starts a command. Answered when it can be talked with.
struct start_process {
  std::vector<std::string> argv;
  /// A path in the workspace; empty: its root.
  std::string directory;
  /// 0: the limit of the sandbox.
  caf::timespan timeout{0};
  /// On a terminal of its own, of this size.
  bool pty = false;
  uint16_t rows = 24;
  uint16_t columns = 80;
};

template <class Inspector>
auto inspect(Inspector& f, start_process& x) {
  return f(caf::meta::type_name("troupe::start_process"), x.argv, x.directory,
           x.timeout, x.pty, x.rows, x.columns);
}

/// Writes to the command's standard input; answered when all of it is written.
/// Error: tool, when the command reads no more.
struct write_process {
  std::string text;
  /// Nothing comes after this: the command reads the end of its input.
  bool close = false;
};

template <class Inspector>
auto inspect(Inspector& f, write_process& x) {
  return f(caf::meta::type_name("troupe::write_process"), x.text, x.close);
}

/// Reads what the command printed, or waits for some of it.
struct read_process {
  /// Standard error instead of standard output. On a terminal all is output.
  bool errors = false;
  /// Bytes.
  uint64_t most = 65536;
  /// How long to wait when there is nothing.
  caf::timespan timeout{0};
};

template <class Inspector>
auto inspect(Inspector& f, read_process& x) {
  return f(caf::meta::type_name("troupe::read_process"), x.errors, x.most,
           x.timeout);
}

struct process_output {
  std::string text;
  /// Nothing will come any more.
  bool end = false;
};

template <class Inspector>
auto inspect(Inspector& f, process_output& x) {
  return f(caf::meta::type_name("troupe::process_output"), x.text, x.end);
}

/// Waits for the command's end.
struct wait_process {
  /// How long; 0: only tells how it is.
  caf::timespan timeout{0};
};

template <class Inspector>
auto inspect(Inspector& f, wait_process& x) {
  return f(caf::meta::type_name("troupe::wait_process"), x.timeout);
}

struct process_state {
  bool running = false;
  /// When it runs no more. Its texts are empty: they were for reading.
  process_result result;
};

template <class Inspector>
auto inspect(Inspector& f, process_state& x) {
  return f(caf::meta::type_name("troupe::process_state"), x.running, x.result);
}

/// Sends a signal to the command and its process group.
struct signal_process {
  int32_t number = 0;
};

template <class Inspector>
auto inspect(Inspector& f, signal_process& x) {
  return f(caf::meta::type_name("troupe::signal_process"), x.number);
}

/// TERM, the grace, then KILL of its whole tree; answered when it is gone. What
/// it printed can still be read.
struct terminate_process {};

template <class Inspector>
auto inspect(Inspector& f, terminate_process&) {
  return f(caf::meta::type_name("troupe::terminate_process"));
}

/// Tells a command on a terminal of a new size.
struct resize_process {
  uint16_t rows = 24;
  uint16_t columns = 80;
};

template <class Inspector>
auto inspect(Inspector& f, resize_process& x) {
  return f(caf::meta::type_name("troupe::resize_process"), x.rows, x.columns);
}

} // namespace troupe
