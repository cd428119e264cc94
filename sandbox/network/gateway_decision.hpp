#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// How something inside a sandbox asked for a destination.
enum class gateway_protocol : uint8_t {
  http_connect,
  /// A request of plain HTTP.
  http,
  socks5,
  /// A connection to an address that stands for a name.
  transparent,
  dns,
  /// A connection to a gateway that the policy declares.
  external,
};

/// What came of it. All but `allowed` have an answer that names this and
/// nothing else.
enum class gateway_reason : uint8_t {
  allowed,
  /// No entry of the list is about this host and port.
  not_allowed,
  /// Not what its protocol says, or open to more than one reading.
  malformed,
  oversized,
  /// Another scheme, command or protocol than those of the gateway.
  unsupported,
  /// The Host of a request is not the host of its target.
  mismatch,
  /// The name is allowed, but none of its addresses may be dialled.
  address,
  /// Allowed, but the name has no address.
  unresolved,
  /// Allowed, but nobody answers there, or not in HTTP.
  unreachable,
  /// Allowed, but it took too long.
  timeout,
  /// A bound of the gateway, or a fault in it.
  limit,
};

/// One decision about one destination.
struct gateway_decision {
  gateway_protocol protocol = gateway_protocol::http_connect;
  /// `host:port` as it was matched; of what could not be read the beginning as
  /// it was sent, with escapes; for DNS a name.
  std::string destination;
  /// Whether the policy lets this through; a dial may still have failed.
  bool allowed = false;
  gateway_reason reason = gateway_reason::not_allowed;
  /// For the operator, never for a model: what exactly was wrong.
  std::string detail;
};

/// What has been done about one destination.
struct destination_counts {
  uint64_t allowed = 0;
  uint64_t refused = 0;
  /// Bytes to the destination, and from it. Of plain HTTP those of bodies.
  uint64_t bytes_sent = 0;
  uint64_t bytes_received = 0;
};

/// "CONNECT", "http", "socks5", "transparent", "dns", "external".
std::string_view to_string(gateway_protocol x);

/// "not allowed", "timed out": all that a process inside a sandbox is told.
std::string_view to_string(gateway_reason x);

/// Whether `x` is about the destination being gone, not about the policy.
constexpr bool is_dial_failure(gateway_reason x) {
  return x == gateway_reason::unresolved || x == gateway_reason::unreachable
         || x == gateway_reason::timeout;
}

} // namespace troupe
