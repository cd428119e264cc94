#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// What the text of a host is.
enum class host_kind : uint8_t {
  /// A DNS name.
  name,
  /// An IPv4 or IPv6 address.
  address,
  /// A number that some resolvers take for an IPv4 address, such as
  /// 2130706433, 0x7f.1 or 127.1. Never dialled, never matched.
  number,
};

/// A host in the one spelling that is matched and dialled: a name in lower
/// case, an address as inet_ntop writes it, without brackets.
struct network_host {
  std::string text;
  host_kind kind = host_kind::name;
};

/// A host with a port.
struct network_destination {
  network_host host;
  uint16_t port = 0;
};

/// Reads a host. Refused: an empty text, a trailing dot, labels that are empty,
/// longer than 63 or begin or end with a hyphen, more than 253 characters, and
/// every character but ASCII letters, digits, `-` and `_`. IPv6 stands in
/// brackets, without a zone.
std::optional<network_host> read_host(std::string_view text);

/// Reads a port: 1 to 65535, digits only, no leading zero.
std::optional<uint16_t> read_port(std::string_view text);

/// Reads `host:port`. Without a port it is `default_port`; with a default of 0
/// it must be there.
std::optional<network_destination> read_destination(std::string_view text,
                                                    uint16_t default_port = 0);

/// `host:port`, with brackets around an IPv6 address.
std::string to_string(const network_destination& x);

} // namespace troupe
