#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe {

/// What kind of machine an address leads to.
enum class address_class : uint8_t {
  /// The public internet.
  global,
  /// Private use: 10/8, 172.16/12, 192.168/16, 100.64/10 (carriers), 198.18/15
  /// (benchmarks) and fec0::/10.
  private_use,
  link_local,
  /// fc00::/7.
  unique_local,
  /// An IPv6 address with an IPv4 one inside: mapped, compatible, NAT64, 6to4.
  embedded,
  /// For documents and protocols; nobody should be there.
  reserved,
  /// One of this host's own.
  own,
  loopback,
  // From here on nothing permits it.
  /// Where clouds hand credentials to whoever asks.
  metadata,
  multicast,
  /// 0.0.0.0/8 and ::, which reach this host.
  unspecified,
  /// 240/4, the broadcast address, Teredo, and IPv6 that nobody gave out.
  unusable,
};

/// The class of `x`, without looking at this host.
address_class classify(const boost::asio::ip::address& x);

/// For operators: "loopback", "link-local".
std::string_view to_string(address_class x);

/// Which addresses may be dialled.
struct address_policy {
  /// Whether what is not public may be, up to `address_class::loopback`.
  /// Metadata services and multicast may never be.
  bool allow_private = false;
  /// This host's own addresses.
  std::vector<boost::asio::ip::address> own;
};

/// `address_class::global` when `x` may be dialled, otherwise the class that
/// forbids it. An address inside of another is judged too.
address_class forbidden_class(const boost::asio::ip::address& x,
                              const address_policy& policy);

/// The addresses of this host's interfaces now; nothing when they cannot be
/// listed. Thread-safe. What a router translates to this host is not known to
/// it and not among them.
std::optional<std::vector<boost::asio::ip::address>> list_own_addresses();

} // namespace troupe
