#pragma once

#include <cstdint>

namespace troupe::warden {

// What a runner and its warden say to each other over a socket: both come from
// one build and live on one host, so plain memory will do.
//
// Runner: one `command_header` and the texts it announces, then `order`s.
// Warden: one `report`, when it has nothing more to do, and then its end.

/// The descriptor of the socket in a warden.
constexpr auto control_fd = 3;

/// The most bytes of texts that a command may have.
constexpr auto max_texts = uint32_t{8} << 20;

/// Followed by `bytes` bytes of NUL-terminated texts: the directory, the
/// arguments, the environment ("NAME=value"), the leftovers.
struct command_header {
  uint32_t bytes = 0;
  uint32_t arguments = 0;
  uint32_t variables = 0;
  /// Empty directories to remove when the command and its tree are gone.
  uint32_t leftovers = 0;
  /// How long processes that the command leaves behind may take to end by
  /// themselves, in milliseconds.
  uint32_t drain = 0;
  /// What the tree may take of the CPU, in milliseconds; 0: what it likes.
  uint32_t cpu = 0;
  /// The most descriptors a process may have open; 0: as many as the warden.
  uint32_t open_files = 0;
  /// 1: standard input becomes the command's controlling terminal.
  uint32_t terminal = 0;
  /// 1: it may start no other process.
  uint32_t alone = 0;
  /// 1: nobody reads its output and errors but the owner, who collects them
  /// until the report.
  uint32_t collected = 0;
  uint32_t reserved = 0;
  /// The largest file a process may write, in bytes; 0: any.
  uint64_t file = 0;
  /// When the tree is killed, should the owner have forgotten it; milliseconds.
  uint64_t wall = 0;
};

enum class order : char {
  /// TERM to the command's process group.
  end = 'e',
  /// KILL to everything.
  kill = 'k',
  /// The signal whose number is the next byte, to the command's process group.
  signal = 's',
};

/// The limits that a warden, or who watches it, ends a command for.
// NOLINTNEXTLINE(performance-enum-size): no padding travels
enum class exceeded : uint32_t { none, cpu, memory, processes };

struct report {
  // NOLINTNEXTLINE(performance-enum-size): no padding travels
  enum class kind : uint32_t {
    /// The command and all its descendants are gone: `value` is the wait
    /// status of the command.
    gone,
    /// errno values of what failed before the command ran.
    bad_directory,
    bad_program,
    bad_host,
  };

  kind what = kind::bad_host;
  int32_t value = 0;
  /// 1 when an order, or the end of the time, came before the command ended.
  int32_t ordered = 0;
  /// What the tree took of the CPU, in milliseconds.
  uint32_t cpu = 0;
  /// What the tree was killed for, if for that.
  exceeded limit = exceeded::none;
};

} // namespace troupe::warden
