#pragma once

#include "troupe/sandbox/unique_fd.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// Reads a pipe to its end and keeps the first bytes; what comes after is
/// dropped, so the writer never waits. Lives on one thread.
class output_capture {
public:
  /// Keeps `most` bytes.
  output_capture(boost::asio::io_context& loop, uint64_t most);

  /// Takes the pipe over and reads until its end. `owner` is kept alive.
  /// `full` is called when something is dropped for the first time.
  void start(unique_fd pipe, std::shared_ptr<void> owner,
             std::function<void()> full = nullptr);

  /// Takes what is in the pipe by now and closes it.
  void finish();

  std::string take_text();

  bool is_cut() const noexcept;

private:
  enum class progress : uint8_t { more, nothing_yet, end };

  void wait(std::shared_ptr<void> owner);
  progress read_some();

  boost::asio::posix::stream_descriptor pipe_;
  uint64_t most_;
  std::string text_;
  bool cut_ = false;
  std::function<void()> full_;
};

} // namespace troupe
