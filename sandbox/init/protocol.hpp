#pragma once

#include <cstdint>

namespace troupe::init {

// What a sandbox's owner and the init inside it say to each other, in packets
// over a SOCK_SEQPACKET socket. Both come from one build and live on one host,
// so plain memory will do.
//
// Owner: one `setup` packet; then `order`s.
// Init: one `answer`, with its sockets. When the owner's end closes it ends,
// and with it everything in the sandbox.
//
// The first of the sockets is of SOCK_SEQPACKET too. Over it the owner starts
// commands, with an `order` and four descriptors each: standard input, output
// and errors of the command, and its warden's control. A warden that is ready
// for it takes it without the init.

/// The descriptor of the socket in the init.
constexpr auto control_fd = 0;

/// The largest packet, in bytes.
constexpr auto max_packet = uint32_t{160} << 10;

// NOLINTNEXTLINE(performance-enum-size): no padding travels
enum class step_kind : uint32_t {
  /// `path` must be the directory with device `a` and inode `b`.
  verify,
  /// The directory at `path` beneath `text` (a mount that stands) gets an
  /// access of its own; `a` and `b` as before; flag `writable`.
  nest,
  /// `path` becomes a file that holds `text`.
  file,
  /// `path` is a directory, for all to read.
  directory,
  /// The tmpfs at `path` gets `a` bytes and `b` inodes.
  tmpfs,
  /// What is at `path` can be read only, with all beneath; absent is fine.
  read_only,
  /// The mount at `path` becomes read-only, but not those beneath it. A device
  /// can be written all the same: it is its mode and owner that are kept.
  seal,
  /// The file or directory at `path` is covered with emptiness; absent is fine.
  mask,
  /// What is at `path` is covered by the file `text`; absent is fine.
  cover,
  /// A TCP socket that listens on the port `a` of the address `path` (IPv4), or
  /// a UDP one that is bound there. They go with the answer, in this order.
  listen_tcp,
  bind_udp,
  /// The address `path` (IPv4) is given to `lo` beside 127.0.0.1.
  address,
};

/// The most sockets of one sandbox.
constexpr auto max_sockets = uint32_t{64};

/// Flags of a step.
constexpr auto writable = uint32_t{1};

/// Followed by the path and the text, each with its NUL.
struct step {
  step_kind kind = step_kind::verify;
  uint32_t flags = 0;
  uint64_t a = 0;
  uint64_t b = 0;
  uint32_t path_size = 0;
  uint32_t text_size = 0;
};

/// Followed by `steps` steps.
struct setup {
  uint32_t steps = 0;
  /// 1: programs may open sockets of the family AF_UNIX.
  uint32_t unix_sockets = 0;
  /// 1: programs here are killed before others when memory runs out.
  uint32_t killed_first = 0;
  /// The most tasks there may be, and bytes of memory, where no group of the
  /// kernel's keeps the limits; 0: one does.
  uint32_t most_tasks = 0;
  uint64_t most_memory = 0;
};

/// What the init has to say after its setup.
struct answer {
  /// 0: the sandbox stands; otherwise an errno value.
  int32_t error = 0;
  /// What failed, with its NUL.
  char what[252] = {};
};

// NOLINTNEXTLINE(performance-enum-size): no padding travels
enum class order_kind : uint32_t {
  /// Start the command `id`; over the socket for that.
  start,
  /// What limits the sandbox is in place: wardens can be made ready.
  begin,
  /// Let the warden of the command `id` go on, which that has stopped.
  wake,
  /// Processes were refused: end the only command, or the one that has the most
  /// if there are `tasks` or more of them now.
  relieve_processes,
  /// A process was killed for its memory: end the command, if it is the only
  /// one. Of several, nobody can tell any more whose it was.
  relieve_memory,
};

struct order {
  order_kind kind = order_kind::start;
  uint32_t tasks = 0;
  uint64_t id = 0;
};

} // namespace troupe::init
