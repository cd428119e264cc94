#include "troupe/sandbox/container/relayed_command.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/warden/protocol.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace troupe {

namespace {

using boost::system::error_code;
using descriptor = boost::asio::posix::stream_descriptor;
using kind = relay::frame_kind;

// A descriptor that was lent keeps its mode, so it is only written to when it
// can take something; of a pipe that is this much at least.
constexpr auto surely_taken = size_t{4096};

// What reached its reader is told in pieces of this.
constexpr auto told_at = uint32_t{16} << 10;

// A reader that takes nothing for this long holds up no report.
constexpr auto patience = std::chrono::seconds{2};

// A regular file cannot be waited for, and need not be.
template <class F>
void when_ready(boost::asio::io_context& loop, descriptor& fd,
                descriptor::wait_type what, F f) {
  fd.async_wait(what, [&loop, f](error_code failed) {
    if (failed == boost::asio::error::operation_not_supported
        || failed == boost::system::errc::operation_not_permitted)
      boost::asio::post(loop, f);
    else if (!failed)
      f();
  });
}

caf::error give(unique_fd& fd, descriptor& to) {
  auto failed = error_code{};
  to.assign(fd.get(), failed);
  if (failed)
    return make_error(errc::sandbox,
                      "cannot watch a command: " + failed.message());
  fd.release();
  return {};
}

void close_quietly(descriptor& fd) {
  auto ignored = error_code{};
  fd.close(ignored);
}

std::string_view bytes_of(const relay::taken& x) {
  return {reinterpret_cast<const char*>(&x), sizeof x};
}

} // namespace

relayed_command::relayed_command(boost::asio::io_context& loop,
                                 std::shared_ptr<relay_channel> channel,
                                 uint64_t id)
  : loop_(loop),
    channel_(std::move(channel)),
    id_(id),
    control_(loop),
    input_(loop),
    output_(loop),
    errors_(loop),
    stalled_(loop) {
  // nop
}

caf::error relayed_command::start(warden_ends ends) {
  for (auto [fd, to] :
       {std::pair{&ends.control, &control_}, std::pair{&ends.input, &input_},
        std::pair{&ends.output, &output_.fd},
        std::pair{&ends.errors, &errors_.fd}})
    if (auto failed = give(*fd, *to))
      return failed;
  channel_->send(kind::start, id_);
  read_orders();
  read_input();
  return {};
}

// The next piece is read when this one is on its way. The end is the runner's.
void relayed_command::read_orders() {
  orders_.resize(relay::max_payload);
  control_.async_read_some(
    boost::asio::buffer(orders_),
    [self = shared_from_this()](error_code failed, size_t count) {
      if (failed)
        return;
      self->channel_->send(kind::orders, self->id_,
                           std::string_view{self->orders_}.substr(0, count),
                           [self] {
                             if (self->control_.is_open())
                               self->read_orders();
                           });
    });
}

void relayed_command::read_input() {
  if (input_reading_ || !input_.is_open() || input_sent_ >= relay::window)
    return;
  input_reading_ = true;
  when_ready(loop_, input_, descriptor::wait_read, [self = shared_from_this()] {
    self->input_reading_ = false;
    if (!self->input_.is_open())
      return;
    auto text = std::array<char, size_t{32} << 10>{};
    auto most = std::min<size_t>(text.size(),
                                 relay::window - self->input_sent_);
    auto count = ::read(self->input_.native_handle(), text.data(), most);
    if (count > 0)
      return self->send_input({text.data(), static_cast<size_t>(count)});
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
      return self->read_input();
    self->end_input();
  });
}

void relayed_command::send_input(std::string_view text) {
  input_sent_ += static_cast<uint32_t>(text.size());
  channel_->send(kind::input, id_, text,
                 [self = shared_from_this()] { self->read_input(); });
}

void relayed_command::end_input() {
  close_quietly(input_);
  channel_->send(kind::end_of_input, id_);
}

bool relayed_command::take(const relay::frame& what, std::string_view payload) {
  switch (what.kind) {
    case kind::output:
      return receive(output_, payload);
    case kind::errors:
      return receive(errors_, payload);
    case kind::end_of_output:
      end(output_);
      return true;
    case kind::end_of_errors:
      end(errors_);
      return true;
    case kind::input_taken: {
      auto taken = relay::taken{};
      if (payload.size() != sizeof taken)
        return false;
      std::memcpy(&taken, payload.data(), sizeof taken);
      input_sent_ -= std::min(input_sent_, taken.bytes);
      read_input();
      return true;
    }
    case kind::input_closed:
      close_quietly(input_);
      return true;
    case kind::pressed:
      if (payload.size() != sizeof pressure_)
        return false;
      std::memcpy(&pressure_, payload.data(), sizeof pressure_);
      return true;
    case kind::report:
      return take_report(payload);
    case kind::gone:
      warden_gone_ = true;
      close_quietly(input_);
      settle();
      return true;
    default:
      return false;
  }
}

bool relayed_command::receive(sink& to, std::string_view text) {
  // Nobody reads it: that has been told.
  if (!to.fd.is_open())
    return true;
  if (to.ended || to.text.size() + text.size() > relay::window)
    return false;
  to.text.append(text);
  write(to);
  return true;
}

void relayed_command::write(sink& to) {
  if (to.writing || to.text.empty())
    return;
  to.writing = true;
  when_ready(loop_, to.fd, descriptor::wait_write,
             [self = shared_from_this(), &to] {
               to.writing = false;
               if (to.fd.is_open())
                 self->write_some(to);
             });
}

void relayed_command::write_some(sink& to) {
  auto count = ::write(to.fd.native_handle(), to.text.data(),
                       std::min(to.text.size(), surely_taken));
  if (count < 0 && errno != EINTR && errno != EAGAIN) {
    close_quietly(to.fd);
    to.text.clear();
    channel_->send(&to == &output_ ? kind::output_closed : kind::errors_closed,
                   id_);
    to.ended = true;
    return settle();
  }
  if (count > 0) {
    to.text.erase(0, static_cast<size_t>(count));
    to.taken += static_cast<uint32_t>(count);
    if (!report_.empty())
      arm();
  }
  credit(to);
  if (to.text.empty() && to.ended)
    end(to);
  else
    write(to);
}

void relayed_command::credit(sink& to) {
  if (to.taken < told_at && !to.text.empty())
    return;
  auto what = relay::taken{std::exchange(to.taken, 0)};
  if (what.bytes > 0)
    channel_->send(&to == &output_ ? kind::output_taken : kind::errors_taken,
                   id_, bytes_of(what));
}

void relayed_command::end(sink& of) {
  of.ended = true;
  if (of.text.empty())
    close_quietly(of.fd);
  settle();
}

bool relayed_command::take_report(std::string_view bytes) {
  if (report_.size() + bytes.size() > sizeof(warden::report))
    return false;
  report_ += bytes;
  arm();
  return true;
}

// A report comes after all that was printed: who has it stops reading.
void relayed_command::settle() {
  auto all_read = !output_.fd.is_open() && !errors_.fd.is_open();
  if (warden_gone_ && (all_read || report_.size() < sizeof(warden::report)))
    deliver();
  if (gone_ && (all_read || lost_))
    std::exchange(gone_, nullptr)();
}

void relayed_command::arm() {
  stalled_.expires_after(patience);
  stalled_.async_wait([self = shared_from_this()](error_code failed) {
    if (!failed)
      self->deliver();
  });
}

// Without a whole report the runner sees only the end.
void relayed_command::deliver() {
  stalled_.cancel();
  if (!control_.is_open())
    return;
  if (report_.size() == sizeof(warden::report))
    ::send(control_.native_handle(), report_.data(), report_.size(),
           MSG_NOSIGNAL | MSG_DONTWAIT);
  close_quietly(control_);
}

void relayed_command::release(std::function<void()> gone) {
  close_quietly(control_);
  close_quietly(input_);
  gone_ = std::move(gone);
  settle();
}

void relayed_command::lose() {
  lost_ = true;
  warden_gone_ = true;
  close_quietly(input_);
  output_.ended = errors_.ended = true;
  end(output_);
  end(errors_);
  if (report_.size() < sizeof(warden::report))
    deliver();
}

const relay::pressure& relayed_command::pressure() const noexcept {
  return pressure_;
}

} // namespace troupe
