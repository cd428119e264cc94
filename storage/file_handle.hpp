#pragma once

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace troupe {

/// Owns one file descriptor of the storage layer; -1 owns none. Closing it
/// keeps errno: what is reported is what failed before.
class file_handle {
public:
  file_handle() = default;

  explicit file_handle(int fd) noexcept : fd_(fd) {
    // nop
  }

  file_handle(file_handle&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {
    // nop
  }

  file_handle& operator=(file_handle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  ~file_handle() {
    if (fd_ < 0)
      return;
    auto before = errno;
    close(fd_);
    errno = before;
  }

  int get() const noexcept {
    return fd_;
  }

private:
  int fd_ = -1;
};

} // namespace troupe
