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
/// arguments, the environment ("NAME=value").
struct command_header {
  uint32_t bytes = 0;
  uint32_t arguments = 0;
  uint32_t variables = 0;
  /// How long processes that the command leaves behind may take to end by
  /// themselves, in milliseconds.
  uint32_t drain = 0;
};

enum class order : char {
  /// TERM to the command's process group.
  end = 'e',
  /// KILL to everything.
  kill = 'k',
};

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
  /// 1 when an order came before the command ended.
  int32_t ordered = 0;
};

} // namespace troupe::warden
