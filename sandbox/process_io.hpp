#pragma once

#include "troupe/sandbox/process_spec.hpp"
#include "troupe/sandbox/process_thread.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe {

/// In characters.
struct terminal_size {
  uint16_t rows = 24;
  uint16_t columns = 80;
};

/// What a command prints to. On a terminal all of it is `output`.
enum class process_stream : uint8_t { output, errors };

struct process_chunk {
  /// Empty when the time was over, or at the end.
  std::string text;
  /// Nothing will come any more.
  bool end = false;
};

/// The host's side of the standard streams of one command that somebody talks
/// with, over pipes or a pseudo-terminal. Reads nothing that was not asked for,
/// so a command that prints much waits. Callbacks run on the process thread,
/// once each, and must not throw. Any thread may call.
class process_io {
public:
  using write_done = std::function<void(caf::error)>;
  using read_done = std::function<void(caf::expected<process_chunk>)>;

  /// With a `terminal` it is one of that size. Error: sandbox.
  static caf::expected<std::shared_ptr<process_io>>
  make(std::shared_ptr<process_thread> thread,
       std::optional<terminal_size> terminal);

  process_io(const process_io&) = delete;
  process_io& operator=(const process_io&) = delete;
  virtual ~process_io();

  /// The command's side: for its `process_spec`, and let go by `started`.
  virtual process_stdio stdio() const = 0;

  /// The command has its side now: its end is the end of the streams.
  virtual void started() = 0;

  /// Writes all of `text`; texts go out in order. Error: tool, when the command
  /// does not read any more.
  virtual void write(std::string text, write_done done) = 0;

  /// The command reads its end of input once what was written is gone. On a
  /// terminal that is what Ctrl-D sends.
  virtual void close_input() = 0;

  /// Reads what is there, at most `most` bytes, or waits `timeout` for the
  /// first of them. One read of a stream at a time; a second one is an error of
  /// kind tool.
  virtual void
  read(process_stream from, size_t most, caf::timespan timeout, read_done done)
    = 0;

  /// Tells a command on a terminal of a new size; nothing happens elsewhere.
  virtual void resize(terminal_size to) = 0;

  /// Closes all; reads and writes that wait are answered. Idempotent.
  virtual void close() = 0;

protected:
  process_io() = default;
};

} // namespace troupe
