#include "troupe/sandbox/network/detail/tunnel.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

using boost::asio::ip::tcp;
using boost::system::error_code;

tunnel::tunnel(tcp::socket client, tcp::socket upstream,
               gateway_core::slot slot,
               std::shared_ptr<traffic_counter> counter,
               const gateway_limits& limits)
  : client_(std::move(client)),
    upstream_(std::move(upstream)),
    slot_(std::move(slot)),
    counter_(std::move(counter)),
    idle_(limits.idle),
    limit_(client_.socket.get_executor(), limits.total) {
  // nop
}

void tunnel::start(std::string_view early) {
  limit_.set(idle_, [weak = weak_from_this()] {
    if (auto alive = weak.lock())
      alive->break_off();
  });
  auto size = std::min(early.size(), client_.bytes.size());
  std::copy_n(early.begin(), size, client_.bytes.begin());
  if (size < early.size())
    break_off();
  else if (size > 0)
    write(client_, upstream_, counter_->bytes_sent, size);
  else
    read(client_, upstream_, counter_->bytes_sent);
  read(upstream_, client_, counter_->bytes_received);
}

void tunnel::read(side& from, side& to, std::atomic<uint64_t>& count) {
  from.socket.async_read_some(boost::asio::buffer(from.bytes),
                              [self = shared_from_this(), &from, &to,
                               &count](error_code failed, size_t size) {
                                self->limit_.touch();
                                if (!failed)
                                  self->write(from, to, count, size);
                                else if (failed == boost::asio::error::eof)
                                  self->end(from, to);
                                else
                                  self->break_off();
                              });
}

void tunnel::write(side& from, side& to, std::atomic<uint64_t>& count,
                   size_t size) {
  boost::asio::async_write(to.socket,
                           boost::asio::buffer(from.bytes.data(), size),
                           [self = shared_from_this(), &from, &to,
                            &count](error_code failed, size_t written) {
                             self->limit_.touch();
                             count += written;
                             if (!failed)
                               self->read(from, to, count);
                             else
                               self->break_off();
                           });
}

void tunnel::end(side& from, side& to) {
  from.is_at_end = true;
  auto failed = error_code{};
  to.socket.shutdown(tcp::socket::shutdown_send, failed);
  if (failed)
    break_off();
  else if (to.is_at_end)
    limit_.clear();
}

// With a reset: a half of something must not look like all of it.
void tunnel::break_off() {
  limit_.clear();
  for (auto* x : {&client_, &upstream_}) {
    auto ignored = error_code{};
    x->socket.set_option(boost::asio::socket_base::linger{true, 0}, ignored);
    x->socket.close(ignored);
  }
}

} // namespace troupe
