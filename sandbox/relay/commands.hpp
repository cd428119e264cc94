#pragma once

#include "troupe/sandbox/relay/protocol.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/types.h>

namespace troupe::relay {

/// Frames on their way to the owner.
class frame_queue {
public:
  void add(frame_kind kind, uint64_t id, const void* payload = nullptr,
           size_t size = 0);

  /// Whether commands should wait with their output.
  bool is_full() const;

  bool empty() const;

  /// Writes what the owner takes at once; false when he is gone.
  bool flush(int fd);

private:
  std::string bytes_;
};

/// A command's warden and the host's ends of what it was given. Each descriptor
/// is -1 once it is closed.
struct command {
  uint64_t id = 0;
  pid_t warden = -1;
  int control = -1;
  int input = -1;
  int output = -1;
  int errors = -1;
  /// To be written, in order.
  std::string orders;
  std::string text;
  bool input_ends = false;
  /// Bytes the owner has not taken yet.
  uint32_t output_sent = 0;
  uint32_t errors_sent = 0;
  pressure before;
};

/// The commands that run here. Everything is done in one thread that waits for
/// nothing but `poll`.
class commands {
public:
  explicit commands(frame_queue& to) : to_(to) {
    // nop
  }

  /// Carries out a frame of the owner; false when it makes no sense.
  bool obey(const frame& what, const char* payload);

  /// Adds the descriptors that something is awaited of.
  void await(std::vector<pollfd>& fds) const;

  /// Reads and writes what `poll` found possible.
  void serve(const std::vector<pollfd>& fds);

  /// Takes wardens that have ended, and what they left behind.
  void reap();

private:
  command* find(uint64_t id);
  bool start(uint64_t id);
  bool take_orders(command& of, const char* bytes, size_t size);
  bool take_input(command& of, const char* bytes, size_t size);
  void serve(command& of, int fd, short events);
  void read_control(command& of);
  void read_stream(command& of, int& fd, uint32_t& sent, frame_kind data,
                   frame_kind end);
  void write_input(command& of);
  static void write_orders(command& of);
  void forget_ended();

  frame_queue& to_;
  std::vector<command> list_;
};

} // namespace troupe::relay
