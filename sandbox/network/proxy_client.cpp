#include "troupe/sandbox/network/detail/proxy_client.hpp"

#include "troupe/sandbox/network/detail/tunnel.hpp"
#include "troupe/sandbox/network/socks5.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace troupe {

namespace {

using boost::asio::redirect_error;
using boost::asio::use_awaitable;
using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr size_t piece_size = 4096;

// What a refused client may still send, and how long it has to hang up.
constexpr size_t most_unread = 1 << 20;
constexpr auto goodbye_time = std::chrono::seconds{2};

} // namespace

std::string_view pending(const proxy_client_ptr& self) {
  auto data = self->buffer.data();
  return {static_cast<const char*>(data.data()), data.size()};
}

void close_after(const proxy_client_ptr& self, caf::timespan after) {
  self->limit.set(after, [weak = std::weak_ptr{self}] {
    auto ignored = error_code{};
    if (auto alive = weak.lock())
      alive->socket.close(ignored);
  });
}

boost::asio::awaitable<bool> read_more(proxy_client_ptr self) {
  auto failed = error_code{};
  auto space = self->buffer.prepare(piece_size);
  auto count = co_await self->socket.async_read_some(
    space, redirect_error(use_awaitable, failed));
  self->buffer.commit(count);
  co_return !failed;
}

boost::asio::awaitable<bool> send_all(proxy_client_ptr self,
                                      std::string bytes) {
  auto failed = error_code{};
  auto buffer = boost::asio::buffer(bytes);
  co_await boost::asio::async_write(self->socket, buffer,
                                    redirect_error(use_awaitable, failed));
  co_return !failed;
}

boost::asio::awaitable<void> say_goodbye(proxy_client_ptr self,
                                         std::string bytes) {
  close_after(self, goodbye_time);
  auto sent = co_await send_all(self, std::move(bytes));
  auto failed = error_code{};
  self->socket.shutdown(tcp::socket::shutdown_send, failed);
  auto unread = size_t{0};
  auto open = sent && !failed;
  while (open && unread < most_unread) {
    self->buffer.clear();
    open = co_await read_more(self);
    unread += self->buffer.size();
  }
}

void start_tunnel(const proxy_client_ptr& self,
                  const std::shared_ptr<dialled>& to) {
  self->limit.clear();
  auto early = std::string{pending(self)};
  auto link = std::make_shared<tunnel>(std::move(self->socket),
                                       std::move(*to->socket),
                                       std::move(self->slot), to->counter,
                                       self->core->limits());
  link->start(early);
}

boost::asio::awaitable<void> serve_proxy_client(proxy_client_ptr self) {
  close_after(self, self->core->limits().greeting);
  auto open = co_await read_more(self);
  if (!open)
    co_return;
  if (pending(self).front() == static_cast<char>(socks5_version))
    co_await serve_socks5(self);
  else
    co_await serve_http(self);
}

boost::asio::awaitable<void> serve_external_client(proxy_client_ptr self) {
  auto to = *self->core->external();
  auto dialled = co_await dial(self->core, gateway_protocol::external,
                               std::move(to));
  if (dialled->socket)
    start_tunnel(self, dialled);
}

boost::asio::awaitable<void> serve_transparent_client(proxy_client_ptr self) {
  auto failed = error_code{};
  auto local = self->socket.local_endpoint(failed);
  if (failed)
    co_return;
  auto name = std::string{};
  if (local.address().is_v4())
    name = self->core->names().name_of(local.address().to_v4());
  auto host = read_host(name);
  if (!host) {
    auto x = gateway_decision{};
    x.protocol = gateway_protocol::transparent;
    x.destination = to_string(network_destination{
      {local.address().to_string(), host_kind::address}, local.port()});
    x.detail = "an address that stands for no name";
    self->core->decide(x);
    co_return;
  }
  auto to = network_destination{std::move(*host), local.port()};
  auto dialled = co_await dial(self->core, gateway_protocol::transparent,
                               std::move(to));
  if (dialled->socket)
    start_tunnel(self, dialled);
}

} // namespace troupe
