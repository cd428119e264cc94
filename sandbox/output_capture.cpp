#include "troupe/sandbox/output_capture.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

constexpr auto piece_size = size_t{16} << 10;

// A pipe holds at most a megabyte unless root said otherwise. More than that
// after everything has ended comes from a stranger who was given the pipe.
constexpr auto last_pieces = 64;

} // namespace

output_capture::output_capture(boost::asio::io_context& loop, uint64_t most)
  : pipe_(loop),
    most_(most) {
  // nop
}

void output_capture::start(unique_fd pipe, std::shared_ptr<void> owner,
                           std::function<void()> full) {
  full_ = std::move(full);
  auto failed = boost::system::error_code{};
  pipe_.assign(pipe.get(), failed);
  // Assigned, it is closed by its new owner.
  if (failed)
    return;
  pipe.release();
  pipe_.non_blocking(true, failed);
  if (failed)
    finish();
  else
    wait(std::move(owner));
}

// Waits only: a read that is under way could not be told from one that is done
// when the end comes.
void output_capture::wait(std::shared_ptr<void> owner) {
  pipe_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [this, owner = std::move(owner)](auto failed) mutable {
                     if (failed || !pipe_.is_open())
                       return;
                     auto was_cut = cut_;
                     if (read_some() == progress::end)
                       pipe_.close(failed);
                     else
                       wait(std::move(owner));
                     if (cut_ && !was_cut && full_)
                       full_();
                   });
}

output_capture::progress output_capture::read_some() {
  auto buffer = std::array<char, piece_size>{};
  auto count = ::read(pipe_.native_handle(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return progress::nothing_yet;
  if (count <= 0)
    return progress::end;
  auto size = static_cast<size_t>(count);
  auto kept = std::min<uint64_t>(size, most_ - text_.size());
  text_.append(buffer.data(), kept);
  cut_ = cut_ || kept < size;
  return progress::more;
}

void output_capture::finish() {
  if (!pipe_.is_open())
    return;
  for (auto i = 0; i < last_pieces && read_some() == progress::more; ++i)
    continue;
  auto ignored = boost::system::error_code{};
  pipe_.close(ignored);
}

std::string output_capture::take_text() {
  return std::exchange(text_, {});
}

bool output_capture::is_cut() const noexcept {
  return cut_;
}

} // namespace troupe
