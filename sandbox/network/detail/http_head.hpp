#pragma once

#include "troupe/config/network_destination.hpp"
#include "troupe/sandbox/network/gateway_decision.hpp"

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace troupe {

/// Where the head of an HTTP request ends, looked for while it comes. Takes
/// lines that end in CR LF and nothing else, so that everybody who reads them
/// sees the same lines.
class http_head_scanner {
public:
  enum class state : uint8_t { incomplete, complete, malformed };

  /// Goes on with `bytes`, which begin with those of the last call.
  state scan(std::string_view bytes);

  /// How long the head is, once complete, with its empty line.
  size_t size() const noexcept {
    return at_;
  }

private:
  bool end_line(std::string_view bytes);

  size_t at_ = 0;
  size_t line_ = 0;
};

/// How a body is delimited. Never both.
struct http_framing {
  std::optional<uint64_t> content_length;
  bool is_chunked = false;
};

/// A request to a proxy that can be read in one way only.
struct proxy_request {
  network_destination destination;
  bool is_connect = false;
  /// Not for CONNECT: what to send there, in origin form, with the Host that
  /// was decided about and without what concerns one hop only; its framing is
  /// still to be set.
  boost::beast::http::request_header<> head;
  http_framing framing;
  bool keep_alive = false;
  bool expects_continue = false;
  /// Not of HTTP/1.0.
  bool knows_chunks = true;
};

/// Why something is refused.
struct gateway_refusal {
  gateway_reason reason = gateway_reason::malformed;
  /// As in a decision: what was asked for, and what is wrong with it.
  std::string destination;
  std::string detail;
};

/// Reads a head that a scanner found complete.
std::variant<proxy_request, gateway_refusal>
read_proxy_request(std::string_view head);

/// `response` as it is sent on, without what concerns one hop only; its framing
/// is still to be set.
boost::beast::http::response_header<>
forwarded(const boost::beast::http::response_header<>& response);

/// How the body of a response is delimited: neither means up to the end of the
/// connection. Nothing when that is not clear.
std::optional<http_framing>
read_framing(const boost::beast::http::fields& fields);

/// The beginning of what somebody sent, with escapes, for operators.
std::string printable(std::string_view text);

} // namespace troupe
