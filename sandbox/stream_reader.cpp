#include "troupe/sandbox/stream_reader.hpp"

#include "troupe/config/errc.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace troupe {

namespace {

using boost::system::error_code;

// A larger read would only be cut by the pipe.
constexpr auto largest = size_t{1} << 20;

// No timer overflows.
constexpr auto longest = std::chrono::hours{24 * 365};

} // namespace

stream_reader::stream_reader(boost::asio::io_context& loop)
  : fd_(loop),
    timer_(loop) {
  // nop
}

caf::error stream_reader::open(unique_fd fd) {
  auto failed = error_code{};
  fd_.assign(fd.get(), failed);
  if (!failed) {
    fd.release();
    fd_.non_blocking(true, failed);
  }
  if (failed)
    return make_error(errc::sandbox,
                      "cannot read from a command: " + failed.message());
  return {};
}

void stream_reader::read(size_t most, caf::timespan timeout,
                         process_io::read_done done) {
  if (done_)
    return done(make_error(errc::tool, "another read of this stream waits"));
  if (!fd_.is_open())
    return done(process_chunk{{}, true});
  most_ = std::clamp<size_t>(most, 1, largest);
  done_ = std::move(done);
  if (read_some())
    return;
  timer_.expires_after(std::clamp<caf::timespan>(timeout, {}, longest));
  timer_.async_wait([self = shared_from_this()](error_code failed) {
    if (failed || !self->done_)
      return;
    auto ignored = error_code{};
    self->fd_.cancel(ignored);
    self->finish({});
  });
  wait();
}

// Waits only: what a cancelled read had taken would be lost.
void stream_reader::wait() {
  fd_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                 [self = shared_from_this()](error_code failed) {
                   if (!failed && self->done_ && !self->read_some())
                     self->wait();
                 });
}

// False when there is nothing yet.
bool stream_reader::read_some() {
  auto text = std::string(most_, '\0');
  auto count = ::read(fd_.native_handle(), text.data(), text.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return false;
  if (count > 0) {
    text.resize(static_cast<size_t>(count));
    finish({std::move(text), false});
    return true;
  }
  // A terminal that nobody has open any more says so by an error.
  auto ignored = error_code{};
  fd_.close(ignored);
  finish({{}, true});
  return true;
}

void stream_reader::finish(process_chunk chunk) {
  timer_.cancel();
  if (auto done = std::exchange(done_, nullptr))
    done(std::move(chunk));
}

void stream_reader::close() {
  auto ignored = error_code{};
  fd_.close(ignored);
  finish({{}, true});
}

} // namespace troupe
