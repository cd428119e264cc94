#pragma once

#include <cstdint>

namespace troupe::relay {

// What the owner of a container and the relay inside it say to each other over
// the relay's standard streams, which an engine carries: frames, each a header
// and `size` bytes. Both come from one build and run on one kind of machine.
//
// No stream of a command holds up another one: of each, no more than `window`
// bytes are under way that its receiver has not taken.

/// The first words of a relay; another build of it has another number.
constexpr auto magic = uint64_t{0x7472'6f75'7065'0001};

/// The most bytes that follow a header.
constexpr auto max_payload = uint32_t{64} << 10;

/// The most bytes of one stream that are sent and not taken.
constexpr auto window = uint32_t{128} << 10;

// NOLINTNEXTLINE(performance-enum-size): no padding travels
enum class frame_kind : uint32_t {
  // From the owner.
  /// Start the warden `id`.
  start = 1,
  /// What its runner says to the warden: a piece of the command, or orders.
  orders,
  /// Bytes for the command's standard input, and its end.
  input,
  end_of_input,
  /// A `taken`: so many bytes of a stream have reached their reader.
  output_taken,
  errors_taken,
  /// Nobody reads that stream any more.
  output_closed,
  errors_closed,
  /// Let a warden go on that its command stopped.
  wake,
  /// Whatever there still is of `id` is of no interest.
  forget,

  // From the relay.
  /// A `hello`, its places, and the environment: the first frame.
  ready = 64,
  /// What the warden says to its runner.
  report,
  /// The warden has ended.
  gone,
  output,
  errors,
  end_of_output,
  end_of_errors,
  /// A `taken`.
  input_taken,
  /// The command reads no more.
  input_closed,
  /// A `pressure`, before the report of a command that ran into a limit of the
  /// whole container.
  pressed,
};

struct frame {
  frame_kind kind = frame_kind::start;
  uint32_t size = 0;
  uint64_t id = 0;
};

struct taken {
  uint32_t bytes = 0;
};

/// Followed by `places` places, one for each path the relay was given, and by
/// the environment of the image: "NAME=value", each with its NUL.
struct hello {
  uint64_t magic = relay::magic;
  uint32_t places = 0;
  uint32_t reserved = 0;
};

/// The directory at a path; zeros when there is none.
struct place {
  uint64_t device = 0;
  uint64_t inode = 0;
};

/// What happened in the container while a command ran.
struct pressure {
  uint32_t killed_for_memory = 0;
  uint32_t refused_processes = 0;
};

} // namespace troupe::relay
