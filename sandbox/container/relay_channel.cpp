#include "troupe/sandbox/container/relay_channel.hpp"

#include "troupe/config/errc.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>

namespace troupe {

namespace {

using boost::system::error_code;

constexpr auto most_complaints = uint64_t{4096};

// Above the numbers that the program has them at.
bool make_pipe(unique_fd& reader, unique_fd& writer) {
  int fds[2] = {-1, -1};
  if (::pipe2(fds, O_CLOEXEC) != 0)
    return false;
  auto low_reader = unique_fd{fds[0]};
  auto low_writer = unique_fd{fds[1]};
  reader = unique_fd{::fcntl(low_reader.get(), F_DUPFD_CLOEXEC, 3)};
  writer = unique_fd{::fcntl(low_writer.get(), F_DUPFD_CLOEXEC, 3)};
  return reader && writer;
}

bool give(unique_fd& fd, boost::asio::posix::stream_descriptor& to) {
  auto failed = error_code{};
  to.assign(fd.get(), failed);
  if (!failed)
    fd.release();
  return !failed;
}

} // namespace

relay_channel::relay_channel(boost::asio::io_context& loop)
  : to_(loop),
    from_(loop),
    errors_(loop, most_complaints),
    program_(std::make_shared<engine_process>(loop)) {
  // nop
}

caf::error relay_channel::open(const container_engine& engine,
                               const std::vector<std::string>& words,
                               frame_taker take,
                               std::function<void(std::string)> ended) {
  auto theirs = engine_ends{};
  auto to = unique_fd{};
  auto from = unique_fd{};
  auto errors = unique_fd{};
  if (!make_pipe(theirs.input, to) || !make_pipe(from, theirs.output)
      || !make_pipe(errors, theirs.errors) || !give(to, to_)
      || !give(from, from_))
    return make_error(errc::sandbox,
                      "cannot talk with a container: "
                        + std::generic_category().message(errno));
  auto failed = program_->start(
    engine, words, std::move(theirs), [self = shared_from_this()](int) {
      self->errors_.finish();
      self->break_off();
      self->take_ = nullptr;
      if (auto f = std::exchange(self->ended_, nullptr))
        f(complaint_in(self->errors_.take_text()));
    });
  if (failed)
    return failed;
  take_ = std::move(take);
  ended_ = std::move(ended);
  errors_.start(std::move(errors), shared_from_this());
  read_header();
  return {};
}

void relay_channel::send(relay::frame_kind kind, uint64_t id,
                         std::string_view payload, std::function<void()> sent) {
  if (!to_.is_open())
    return;
  auto header = relay::frame{kind, static_cast<uint32_t>(payload.size()), id};
  auto bytes = std::string{};
  bytes.reserve(sizeof header + payload.size());
  bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(payload);
  outbox_.push_back({std::move(bytes), std::move(sent)});
  if (outbox_.size() == 1)
    flush();
}

// When it cannot be written, the program's end tells why.
void relay_channel::flush() {
  boost::asio::async_write(to_, boost::asio::buffer(outbox_.front().bytes),
                           [self = shared_from_this()](error_code failed,
                                                       size_t) {
                             if (failed || self->outbox_.empty())
                               return;
                             auto sent = std::move(self->outbox_.front().sent);
                             self->outbox_.pop_front();
                             if (!self->outbox_.empty())
                               self->flush();
                             if (sent)
                               sent();
                           });
}

void relay_channel::read_header() {
  boost::asio::async_read(from_, boost::asio::buffer(&header_, sizeof header_),
                          [self = shared_from_this()](error_code failed,
                                                      size_t) {
                            if (failed)
                              return;
                            if (self->header_.size > relay::max_payload)
                              return self->break_off();
                            self->payload_.resize(self->header_.size);
                            self->read_payload();
                          });
}

void relay_channel::read_payload() {
  if (header_.size == 0)
    return hand_on();
  boost::asio::async_read(from_, boost::asio::buffer(payload_),
                          [self = shared_from_this()](error_code failed,
                                                      size_t) {
                            if (!failed)
                              self->hand_on();
                          });
}

void relay_channel::hand_on() {
  if (!take_)
    return;
  if (take_(header_, payload_))
    read_header();
  else
    break_off();
}

void relay_channel::close_input() {
  auto ignored = error_code{};
  to_.close(ignored);
}

void relay_channel::kill() {
  program_->kill();
}

// The relay cannot be understood: without its streams it ends.
void relay_channel::break_off() {
  auto ignored = error_code{};
  to_.close(ignored);
  from_.close(ignored);
}

} // namespace troupe
