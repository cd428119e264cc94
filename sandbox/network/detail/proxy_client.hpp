#pragma once

#include "troupe/sandbox/network/detail/deadline.hpp"
#include "troupe/sandbox/network/detail/dial.hpp"
#include "troupe/sandbox/network/detail/gateway_core.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// A connection that came out of a sandbox, shared by the coroutine that serves
/// it and by the limits that end it. Lives on the gateway's thread.
struct proxy_client {
  proxy_client(gateway_core* owner, boost::asio::ip::tcp::socket accepted)
    : core(owner),
      slot(owner),
      socket(std::move(accepted)),
      limit(socket.get_executor(), owner->limits().total) {
    // nop
  }

  gateway_core* core;
  gateway_core::slot slot;
  boost::asio::ip::tcp::socket socket;
  deadline limit;
  /// Read and not used yet; never more than a head and a piece.
  boost::beast::flat_buffer buffer;
};

using proxy_client_ptr = std::shared_ptr<proxy_client>;

/// What is in the buffer.
std::string_view pending(const proxy_client_ptr& self);

/// Ends the connection when nothing comes for `after`.
void close_after(const proxy_client_ptr& self, caf::timespan after);

/// Reads another piece into the buffer; false at the end of the connection, or
/// of its limit.
boost::asio::awaitable<bool> read_more(proxy_client_ptr self);

/// Sends all of `bytes`; false if the client is gone.
boost::asio::awaitable<bool> send_all(proxy_client_ptr self, std::string bytes);

/// Sends last words, then waits a moment for the client to have read them:
/// closing at once would throw them away where the client still sends.
boost::asio::awaitable<void> say_goodbye(proxy_client_ptr self,
                                         std::string bytes);

/// Connects the client with what was dialled, and lets go of it.
void start_tunnel(const proxy_client_ptr& self,
                  const std::shared_ptr<dialled>& to);

// -- what is spoken, by its first byte ----------------------------------------

/// Serves a connection of `serve_proxy`.
boost::asio::awaitable<void> serve_proxy_client(proxy_client_ptr self);

boost::asio::awaitable<void> serve_http(proxy_client_ptr self);

boost::asio::awaitable<void> serve_socks5(proxy_client_ptr self);

/// Serves a connection of `serve_external`.
boost::asio::awaitable<void> serve_external_client(proxy_client_ptr self);

/// Serves a connection to a made-up address.
boost::asio::awaitable<void> serve_transparent_client(proxy_client_ptr self);

} // namespace troupe
