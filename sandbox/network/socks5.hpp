#pragma once

#include "troupe/config/network_destination.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace troupe {

/// The version byte, which tells it from HTTP.
inline constexpr uint8_t socks5_version = 5;

/// The replies of RFC 1928 that we send.
enum class socks5_reply : uint8_t {
  succeeded = 0,
  failure = 1,
  not_allowed = 2,
  unreachable = 4,
  refused = 5,
  expired = 6,
  no_such_command = 7,
  no_such_address = 8,
};

enum class socks5_state : uint8_t { incomplete, complete, malformed };

/// What a client offers first: its ways to authenticate.
struct socks5_greeting {
  socks5_state state = socks5_state::incomplete;
  /// Of the bytes, if complete.
  size_t size = 0;
  /// Whether it goes without a password; we know no other way.
  bool offers_no_password = false;
};

/// What a client asks for then.
struct socks5_request {
  socks5_state state = socks5_state::incomplete;
  size_t size = 0;
  /// What to answer when it is complete and there is no destination.
  socks5_reply refusal = socks5_reply::failure;
  /// Of a CONNECT to a host that has a name or an address.
  std::optional<network_destination> destination;
};

/// Reads a greeting from the first bytes of a connection, 257 at most.
socks5_greeting read_socks5_greeting(std::span<const uint8_t> bytes);

/// Reads a request, 262 bytes at most. BIND, UDP ASSOCIATE and names that are
/// none have no destination. An address that is sent as a name is one.
socks5_request read_socks5_request(std::span<const uint8_t> bytes);

/// The answer to a greeting that offers no password, or to one that does not.
std::array<uint8_t, 2> write_socks5_method(bool accepted);

/// The answer to a request; the bound address in it is always zeros.
std::array<uint8_t, 10> write_socks5_reply(socks5_reply reply);

} // namespace troupe
