#pragma once

#include "troupe/sandbox/network/detail/http_head.hpp"
#include "troupe/sandbox/network/detail/proxy_client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A client that speaks HTTP, and the server it is connected with; that
/// connection is kept for more requests to the same destination.
struct http_exchange {
  explicit http_exchange(proxy_client_ptr x) : client(std::move(x)) {
    // nop
  }

  proxy_client_ptr client;
  std::shared_ptr<dialled> upstream;
  /// `host:port` of `upstream`.
  std::string destination;
  /// Whether it has served a request before this one.
  bool is_kept = false;
  /// Came from `upstream` and was not read yet.
  boost::beast::flat_buffer buffer;
  /// A piece of a body on its way.
  std::vector<char> piece;
};

using http_exchange_ptr = std::shared_ptr<http_exchange>;

/// How sending a request went.
enum class request_end : uint8_t {
  sent,
  /// The server does not take it; it may have answered all the same.
  server_gone,
  client_gone,
  /// The body is not framed as its head says.
  malformed,
};

/// Sends `request` with its body. `head` is what the client sent, for whoever
/// reads the body that follows.
boost::asio::awaitable<request_end>
send_request(http_exchange_ptr self,
             std::shared_ptr<const proxy_request> request, std::string head);

/// How a response went.
enum class response_end : uint8_t {
  /// The client may send another request.
  keep,
  /// It had all of it, and its connection ends.
  close,
  /// It had nothing, because the server did not answer.
  nothing,
  /// It had a part.
  broken,
};

/// Passes the response on, with its framing written anew.
boost::asio::awaitable<response_end>
pass_response(http_exchange_ptr self,
              std::shared_ptr<const proxy_request> request);

} // namespace troupe
