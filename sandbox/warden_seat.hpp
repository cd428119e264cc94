#pragma once

#include "troupe/sandbox/unique_fd.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <functional>

namespace troupe {

/// The descriptors that a warden gets: its socket, and the standard ones of its
/// command.
struct warden_ends {
  unique_fd control;
  unique_fd input;
  unique_fd output;
  unique_fd errors;
};

/// Where wardens are put, and with them the commands they watch: this host, or
/// a sandbox on it. Lives on the thread of its runner.
class warden_seat {
public:
  warden_seat() = default;
  warden_seat(const warden_seat&) = delete;
  warden_seat& operator=(const warden_seat&) = delete;
  virtual ~warden_seat();

  /// Starts a warden and returns its id here. Error: sandbox.
  virtual caf::expected<uint64_t> place(warden_ends ends) = 0;

  /// Lets a warden go on that its command may have stopped.
  virtual void wake(uint64_t id) = 0;

  /// A warden has reported, so all it has left to do is to end.
  virtual void release(uint64_t id) = 0;

  /// A warden has not reported: it was killed, or does not answer. Ends what it
  /// leaves as far as this place can, then calls `then` with the sentence that
  /// tells how far that was.
  virtual void
  abandon(uint64_t id, std::function<void(std::string sentence)> then)
    = 0;
};

} // namespace troupe
