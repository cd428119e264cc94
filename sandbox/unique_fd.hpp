#pragma once

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace troupe {

/// Owns one file descriptor. Closing it keeps errno: what is reported is what
/// failed before.
class unique_fd {
public:
  unique_fd() noexcept = default;

  explicit unique_fd(int fd) noexcept : fd_(fd) {
    // nop
  }

  unique_fd(unique_fd&& other) noexcept : fd_(other.release()) {
    // nop
  }

  unique_fd& operator=(unique_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  ~unique_fd() {
    if (fd_ < 0)
      return;
    auto before = errno;
    ::close(fd_);
    errno = before;
  }

  explicit operator bool() const noexcept {
    return fd_ >= 0;
  }

  int get() const noexcept {
    return fd_;
  }

  /// Gives the descriptor away.
  int release() noexcept {
    return std::exchange(fd_, -1);
  }

  void reset() noexcept {
    *this = unique_fd{};
  }

private:
  int fd_ = -1;
};

} // namespace troupe
