#include "troupe/sandbox/network/address_class.hpp"

#include <ifaddrs.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include <netinet/in.h>

namespace troupe {

namespace {

using boost::asio::ip::address;
using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

struct v4_block {
  uint32_t prefix;
  unsigned bits;
  address_class what;
};

constexpr uint32_t v4(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// The first that fits counts.
constexpr auto v4_blocks = std::array{
  v4_block{v4(169, 254, 169, 254), 32, address_class::metadata},
  v4_block{v4(169, 254, 170, 0), 24, address_class::metadata},   // ECS, EKS
  v4_block{v4(100, 100, 100, 200), 32, address_class::metadata}, // Alibaba
  v4_block{v4(192, 0, 0, 192), 32, address_class::metadata},     // Oracle
  v4_block{v4(168, 63, 129, 16), 32, address_class::metadata},   // Azure
  v4_block{v4(0, 0, 0, 0), 8, address_class::unspecified},
  v4_block{v4(127, 0, 0, 0), 8, address_class::loopback},
  v4_block{v4(10, 0, 0, 0), 8, address_class::private_use},
  v4_block{v4(172, 16, 0, 0), 12, address_class::private_use},
  v4_block{v4(192, 168, 0, 0), 16, address_class::private_use},
  v4_block{v4(100, 64, 0, 0), 10, address_class::private_use},
  v4_block{v4(198, 18, 0, 0), 15, address_class::private_use},
  v4_block{v4(169, 254, 0, 0), 16, address_class::link_local},
  v4_block{v4(192, 0, 0, 0), 24, address_class::reserved},
  v4_block{v4(192, 0, 2, 0), 24, address_class::reserved},
  v4_block{v4(192, 88, 99, 0), 24, address_class::reserved},
  v4_block{v4(198, 51, 100, 0), 24, address_class::reserved},
  v4_block{v4(203, 0, 113, 0), 24, address_class::reserved},
  v4_block{v4(224, 0, 0, 0), 4, address_class::multicast},
  v4_block{v4(240, 0, 0, 0), 4, address_class::unusable},
};

address_class classify_v4(address_v4 x) {
  for (const auto& block : v4_blocks)
    if (((x.to_uint() ^ block.prefix) >> (32 - block.bits)) == 0)
      return block.what;
  return address_class::global;
}

using v6_bytes = address_v6::bytes_type;

template <size_t N>
bool starts_with(const v6_bytes& x, const std::array<uint8_t, N>& prefix) {
  return std::equal(prefix.begin(), prefix.end(), x.begin());
}

address_v4 v4_at(const v6_bytes& x, size_t offset) {
  auto bytes = address_v4::bytes_type{};
  std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(),
              bytes.begin());
  return address_v4{bytes};
}

// The IPv4 address that packets to `x` end up at.
std::optional<address_v4> embedded_in(const v6_bytes& x) {
  using zeros = std::array<uint8_t, 10>;
  auto is_mapped = starts_with(x, zeros{}) && x[10] == 0xff && x[11] == 0xff;
  auto is_compatible = starts_with(x, std::array<uint8_t, 12>{})
                       && v4_at(x, 12).to_uint() > 1;
  auto is_translated = starts_with(x, std::array<uint8_t, 8>{}) && x[8] == 0xff
                       && x[9] == 0xff && x[10] == 0 && x[11] == 0;
  // 64:ff9b::/96, and 64:ff9b:1::/48 that networks cut as they like.
  auto is_nat64 = starts_with(x, std::array<uint8_t, 4>{0, 0x64, 0xff, 0x9b});
  if (is_mapped || is_compatible || is_translated || is_nat64)
    return v4_at(x, 12);
  if (starts_with(x, std::array<uint8_t, 2>{0x20, 0x02}))
    return v4_at(x, 2);
  return std::nullopt;
}

address_class classify_v6(const address_v6& x) {
  auto bytes = x.to_bytes();
  if (x.is_loopback())
    return address_class::loopback;
  if (x.is_unspecified())
    return address_class::unspecified;
  if (embedded_in(bytes))
    return address_class::embedded;
  if (x.is_multicast())
    return address_class::multicast;
  if (x.is_link_local())
    return address_class::link_local;
  if (x.is_site_local())
    return address_class::private_use;
  // fd00:ec2::/32 is where AWS has its services.
  if (starts_with(bytes, std::array<uint8_t, 4>{0xfd, 0x00, 0x0e, 0xc2}))
    return address_class::metadata;
  if ((bytes[0] & 0xfe) == 0xfc)
    return address_class::unique_local;
  // Only 2000::/3 is given out.
  if ((bytes[0] & 0xe0) != 0x20
      || starts_with(bytes, std::array<uint8_t, 4>{0x20, 0x01, 0, 0}))
    return address_class::unusable;
  // 2001::/23 for protocols, 2001:db8::/32 and 3fff::/20 for documents.
  auto is_protocol = starts_with(bytes, std::array<uint8_t, 2>{0x20, 0x01})
                     && bytes[2] < 2;
  if (is_protocol
      || starts_with(bytes, std::array<uint8_t, 4>{0x20, 0x01, 0x0d, 0xb8})
      || (starts_with(bytes, std::array<uint8_t, 2>{0x3f, 0xff})
          && bytes[2] < 0x10))
    return address_class::reserved;
  return address_class::global;
}

// Without the scope, which says only how to get there.
address plain(const address& x) {
  return x.is_v6() ? address{address_v6{x.to_v6().to_bytes()}} : x;
}

bool is_permitted(address_class what, const address_policy& policy) {
  return what == address_class::global
         || (policy.allow_private && what <= address_class::loopback);
}

} // namespace

address_class classify(const address& x) {
  return x.is_v4() ? classify_v4(x.to_v4()) : classify_v6(x.to_v6());
}

std::string_view to_string(address_class x) {
  constexpr auto names = std::array<std::string_view, 12>{
    "global",   "private",   "link-local",  "unique-local",
    "embedded", "reserved",  "own host",    "loopback",
    "metadata", "multicast", "unspecified", "unusable"};
  return names[static_cast<size_t>(x)];
}

address_class forbidden_class(const address& x, const address_policy& policy) {
  auto what = classify(x);
  if (!is_permitted(what, policy))
    return what;
  if (what == address_class::embedded)
    return forbidden_class(*embedded_in(x.to_v6().to_bytes()), policy);
  auto is_own = std::any_of(policy.own.begin(), policy.own.end(),
                            [to = plain(x)](const auto& own) {
                              return plain(own) == to;
                            });
  return is_own && !policy.allow_private ? address_class::own
                                         : address_class::global;
}

std::optional<std::vector<address>> list_own_addresses() {
  auto* first = static_cast<ifaddrs*>(nullptr);
  if (::getifaddrs(&first) != 0)
    return std::nullopt;
  auto owner
    = std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)>{first, &::freeifaddrs};
  auto result = std::vector<address>{};
  for (const auto* i = first; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr)
      continue;
    if (i->ifa_addr->sa_family == AF_INET) {
      auto from = sockaddr_in{};
      std::memcpy(&from, i->ifa_addr, sizeof from);
      result.emplace_back(address_v4{ntohl(from.sin_addr.s_addr)});
    } else if (i->ifa_addr->sa_family == AF_INET6) {
      auto from = sockaddr_in6{};
      std::memcpy(&from, i->ifa_addr, sizeof from);
      auto bytes = v6_bytes{};
      std::copy_n(std::begin(from.sin6_addr.s6_addr), bytes.size(),
                  bytes.begin());
      result.emplace_back(address_v6{bytes});
    }
  }
  return result;
}

} // namespace troupe
