#include "troupe/sandbox/network/detail/http_head.hpp"
#include "troupe/sandbox/network/detail/proxy_client.hpp"
#include "troupe/sandbox/network/socks5.hpp"

#include <span>
#include <utility>

namespace troupe {

namespace {

std::span<const uint8_t> pending_bytes(const proxy_client_ptr& self) {
  auto data = self->buffer.data();
  return {static_cast<const uint8_t*>(data.data()), data.size()};
}

template <size_t N>
std::string as_text(const std::array<uint8_t, N>& bytes) {
  return {bytes.begin(), bytes.end()};
}

socks5_reply reply_for(gateway_reason reason) {
  switch (reason) {
    case gateway_reason::allowed:
      return socks5_reply::succeeded;
    case gateway_reason::unresolved:
      return socks5_reply::unreachable;
    case gateway_reason::unreachable:
      return socks5_reply::refused;
    case gateway_reason::timeout:
      return socks5_reply::expired;
    default:
      return socks5_reply::not_allowed;
  }
}

void report(const proxy_client_ptr& self, gateway_reason reason,
            std::string detail) {
  auto x = gateway_decision{};
  x.protocol = gateway_protocol::socks5;
  x.destination = printable(pending(self));
  x.reason = reason;
  x.detail = std::move(detail);
  self->core->decide(x);
}

gateway_reason reason_for(const socks5_request& x) {
  auto is_unknown = x.refusal == socks5_reply::no_such_command
                    || x.refusal == socks5_reply::no_such_address;
  return is_unknown ? gateway_reason::unsupported : gateway_reason::malformed;
}

// False: the connection is over.
boost::asio::awaitable<bool> greet(proxy_client_ptr self) {
  auto greeting = read_socks5_greeting(pending_bytes(self));
  auto open = true;
  while (open && greeting.state == socks5_state::incomplete) {
    open = co_await read_more(self);
    greeting = read_socks5_greeting(pending_bytes(self));
  }
  if (!open)
    co_return false;
  if (greeting.state == socks5_state::malformed) {
    report(self, gateway_reason::malformed, "not a SOCKS5 greeting");
    co_return false;
  }
  if (!greeting.offers_no_password) {
    report(self, gateway_reason::unsupported, "asks for a password");
    co_await say_goodbye(self, as_text(write_socks5_method(false)));
    co_return false;
  }
  self->buffer.consume(greeting.size);
  auto sent = co_await send_all(self, as_text(write_socks5_method(true)));
  co_return sent;
}

// Only a complete or a malformed one is returned.
boost::asio::awaitable<socks5_request> read_request(proxy_client_ptr self) {
  auto request = read_socks5_request(pending_bytes(self));
  auto open = true;
  while (open && request.state == socks5_state::incomplete) {
    open = co_await read_more(self);
    request = read_socks5_request(pending_bytes(self));
  }
  if (request.state == socks5_state::incomplete)
    request.state = socks5_state::malformed;
  co_return request;
}

} // namespace

boost::asio::awaitable<void> serve_socks5(proxy_client_ptr self) {
  auto greeted = co_await greet(self);
  if (!greeted)
    co_return;
  auto request = co_await read_request(self);
  if (request.state == socks5_state::malformed) {
    report(self, gateway_reason::malformed, "not a SOCKS5 request");
    co_await say_goodbye(self,
                         as_text(write_socks5_reply(socks5_reply::failure)));
    co_return;
  }
  if (!request.destination) {
    report(self, reason_for(request), "not a CONNECT to a host");
    co_await say_goodbye(self, as_text(write_socks5_reply(request.refusal)));
    co_return;
  }
  self->buffer.consume(request.size);
  auto dialled = co_await dial(self->core, gateway_protocol::socks5,
                               *request.destination);
  auto reply = as_text(write_socks5_reply(reply_for(dialled->reason)));
  if (!dialled->socket) {
    co_await say_goodbye(self, std::move(reply));
    co_return;
  }
  auto sent = co_await send_all(self, std::move(reply));
  if (sent)
    start_tunnel(self, dialled);
}

} // namespace troupe
