#include "troupe/sandbox/network/detail/http_exchange.hpp"

#include <boost/asio/socket_base.hpp>
#include <boost/beast/http/verb.hpp>

#include <cerrno>
#include <utility>

#include <sys/socket.h>

namespace troupe {

namespace {

using boost::system::error_code;

std::string_view status_line(gateway_reason reason) {
  switch (reason) {
    case gateway_reason::malformed:
      return "400 Bad Request";
    case gateway_reason::oversized:
      return "431 Request Header Fields Too Large";
    case gateway_reason::unresolved:
    case gateway_reason::unreachable:
      return "502 Bad Gateway";
    case gateway_reason::timeout:
      return "504 Gateway Timeout";
    case gateway_reason::limit:
      return "503 Service Unavailable";
    default:
      return "403 Forbidden";
  }
}

// Names the class, and neither the rule nor the address.
std::string refusal_text(gateway_reason reason) {
  auto body = std::string{"troupe gateway: "}
              + (is_dial_failure(reason) ? "failed (" : "refused (")
              + std::string{to_string(reason)} + ")\n";
  return "HTTP/1.1 " + std::string{status_line(reason)}
         + "\r\nContent-Type: text/plain\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

boost::asio::awaitable<void> refuse(proxy_client_ptr self,
                                    gateway_refusal why) {
  auto x = gateway_decision{};
  x.protocol = gateway_protocol::http;
  x.destination = std::move(why.destination);
  x.reason = why.reason;
  x.detail = std::move(why.detail);
  self->core->decide(x);
  co_await say_goodbye(self, refusal_text(x.reason));
}

gateway_refusal bad_head(const proxy_client_ptr& self, gateway_reason reason,
                         std::string detail) {
  return {reason, printable(pending(self)), std::move(detail)};
}

// The head of the next request, taken out of the buffer; empty when the
// connection is over.
boost::asio::awaitable<std::string> read_head(proxy_client_ptr self) {
  auto scanner = http_head_scanner{};
  auto most = self->core->limits().head;
  auto state = scanner.scan(pending(self));
  auto open = true;
  while (open && state == http_head_scanner::state::incomplete
         && self->buffer.size() <= most) {
    open = co_await read_more(self);
    state = scanner.scan(pending(self));
  }
  if (!open)
    co_return std::string{};
  if (state == http_head_scanner::state::malformed) {
    auto why = bad_head(self, gateway_reason::malformed,
                        "not the lines of an HTTP head");
    co_await refuse(self, std::move(why));
    co_return std::string{};
  }
  if (state == http_head_scanner::state::incomplete || scanner.size() > most) {
    auto why = bad_head(self, gateway_reason::oversized,
                        "longer than " + std::to_string(most) + " bytes");
    co_await refuse(self, std::move(why));
    co_return std::string{};
  }
  auto head = std::string{pending(self).substr(0, scanner.size())};
  self->buffer.consume(head.size());
  co_return head;
}

boost::asio::awaitable<void> connect(proxy_client_ptr self,
                                     network_destination to) {
  auto dialled = co_await dial(self->core, gateway_protocol::http_connect,
                               std::move(to));
  if (!dialled->socket) {
    co_await say_goodbye(self, refusal_text(dialled->reason));
    co_return;
  }
  auto sent = co_await send_all(self,
                                "HTTP/1.1 200 Connection established\r\n\r\n");
  if (sent)
    start_tunnel(self, dialled);
}

// A server may have hung up since its last response, or said more than that.
bool is_quiet(boost::asio::ip::tcp::socket& socket) {
  auto byte = char{};
  auto count = ::recv(socket.native_handle(), &byte, 1,
                      MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

// Whether asking twice does no harm.
bool is_repeatable(const proxy_request& x) {
  namespace http = boost::beast::http;
  auto method = x.head.method();
  auto is_safe = method == http::verb::get || method == http::verb::head
                 || method == http::verb::options;
  return is_safe && !x.framing.is_chunked
         && x.framing.content_length.value_or(0) == 0;
}

// Decides about one request, and connects where it leads; false if it does not.
// A connection that was kept may end at any moment: it is for what can be asked
// again.
boost::asio::awaitable<bool>
open_upstream(http_exchange_ptr self,
              std::shared_ptr<const proxy_request> request) {
  auto name = to_string(request->destination);
  auto* core = self->client->core;
  self->is_kept = self->upstream && self->destination == name
                  && is_repeatable(*request)
                  && core->allowed().allows(request->destination)
                  && is_quiet(*self->upstream->socket);
  if (self->is_kept) {
    auto x = gateway_decision{};
    x.protocol = gateway_protocol::http;
    x.destination = std::move(name);
    x.allowed = true;
    x.reason = gateway_reason::allowed;
    x.detail = "on the connection of the last request";
    core->decide(x);
    co_return true;
  }
  self->upstream.reset();
  self->buffer.clear();
  auto dialled = co_await dial(core, gateway_protocol::http,
                               request->destination);
  if (!dialled->socket) {
    co_await say_goodbye(self->client, refusal_text(dialled->reason));
    co_return false;
  }
  self->upstream = std::move(dialled);
  self->destination = std::move(name);
  co_return true;
}

void reset_client(const http_exchange_ptr& self) {
  auto ignored = error_code{};
  auto hard = boost::asio::socket_base::linger{true, 0};
  self->client->socket.set_option(hard, ignored);
  self->client->socket.close(ignored);
}

// Closes both sides when nothing moves.
void limit_idle(const http_exchange_ptr& self) {
  auto after = self->client->core->limits().idle;
  self->client->limit.set(after, [weak = std::weak_ptr{self}] {
    auto alive = weak.lock();
    if (!alive)
      return;
    auto ignored = error_code{};
    reset_client(alive);
    if (alive->upstream)
      alive->upstream->socket->close(ignored);
  });
}

// Sends a request that was decided about, and passes its response on.
boost::asio::awaitable<response_end>
ask(http_exchange_ptr self, std::shared_ptr<const proxy_request> request,
    std::string head) {
  limit_idle(self);
  auto sent = co_await send_request(self, request, std::move(head));
  if (sent == request_end::client_gone)
    co_return response_end::broken;
  if (sent == request_end::malformed) {
    self->upstream.reset();
    auto why = gateway_refusal{gateway_reason::malformed, self->destination,
                               "a body that is not framed as its head says"};
    co_await refuse(self->client, std::move(why));
    co_return response_end::broken;
  }
  // A server may answer without having read all.
  auto end = co_await pass_response(self, request);
  if (end == response_end::keep && sent == request_end::server_gone)
    end = response_end::close;
  co_return end;
}

// One request to its end; false when it was the last.
boost::asio::awaitable<bool>
exchange(http_exchange_ptr self, std::shared_ptr<const proxy_request> request,
         std::string head) {
  auto opened = co_await open_upstream(self, request);
  if (opened && request->expects_continue)
    opened = co_await send_all(self->client, "HTTP/1.1 100 Continue\r\n\r\n");
  if (!opened)
    co_return false;
  auto end = co_await ask(self, request, head);
  if (end == response_end::nothing && self->is_kept) {
    self->upstream.reset();
    opened = co_await open_upstream(self, request);
    if (!opened)
      co_return false;
    end = co_await ask(self, request, head);
  }
  if (end == response_end::nothing)
    co_await say_goodbye(self->client,
                         refusal_text(gateway_reason::unreachable));
  else if (end == response_end::broken)
    reset_client(self);
  else if (end == response_end::close)
    co_await say_goodbye(self->client, "");
  co_return end == response_end::keep;
}

// False when no other request can follow.
boost::asio::awaitable<bool> serve_request(http_exchange_ptr self) {
  close_after(self->client, self->client->core->limits().greeting);
  auto head = co_await read_head(self->client);
  if (head.empty())
    co_return false;
  auto read = read_proxy_request(head);
  if (auto* why = std::get_if<gateway_refusal>(&read)) {
    co_await refuse(self->client, std::move(*why));
    co_return false;
  }
  auto request = std::make_shared<const proxy_request>(
    std::move(std::get<proxy_request>(read)));
  auto more = false;
  if (request->is_connect)
    co_await connect(self->client, request->destination);
  else
    more = co_await exchange(self, request, std::move(head));
  co_return more;
}

} // namespace

boost::asio::awaitable<void> serve_http(proxy_client_ptr self) {
  auto session = std::make_shared<http_exchange>(self);
  auto more = true;
  while (more)
    more = co_await serve_request(session);
}

} // namespace troupe
