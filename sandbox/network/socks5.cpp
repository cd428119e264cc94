#include "troupe/sandbox/network/socks5.hpp"

#include <algorithm>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace troupe {

namespace {

constexpr uint8_t connect_command = 1;
constexpr uint8_t udp_command = 3;
constexpr uint8_t no_password = 0;
constexpr uint8_t no_method = 0xff;

enum class address_kind : uint8_t { v4 = 1, name = 3, v6 = 4 };

// Everything before the address.
constexpr size_t head_size = 4;

template <class Address>
std::string address_text(int family, std::span<const uint8_t> bytes) {
  auto address = Address{};
  std::copy_n(bytes.begin(), sizeof address,
              reinterpret_cast<uint8_t*>(&address));
  auto buffer = std::array<char, INET6_ADDRSTRLEN>{};
  ::inet_ntop(family, &address, buffer.data(), buffer.size());
  return buffer.data();
}

// The destination as it is written everywhere else. Its text is read by the one
// reader of hosts, so that nothing gains from this form.
std::optional<network_host> host_of(address_kind kind,
                                    std::span<const uint8_t> bytes) {
  if (kind == address_kind::v4)
    return read_host(address_text<in_addr>(AF_INET, bytes));
  if (kind == address_kind::v6)
    return read_host('[' + address_text<in6_addr>(AF_INET6, bytes) + ']');
  auto text = std::string{bytes.begin(), bytes.end()};
  // Brackets are for where a port follows.
  if (text.find(':') != std::string::npos)
    return text.front() == '[' ? std::nullopt : read_host('[' + text + ']');
  return read_host(text);
}

socks5_request without_destination(size_t size, socks5_reply refusal) {
  auto result = socks5_request{};
  result.state = socks5_state::complete;
  result.size = size;
  result.refusal = refusal;
  return result;
}

// How long the address is, from its own first byte on; 0 if unknown.
size_t address_size(address_kind kind, uint8_t first) {
  switch (kind) {
    case address_kind::v4:
      return 4;
    case address_kind::v6:
      return 16;
    case address_kind::name:
      return size_t{1} + first;
  }
  return 0;
}

} // namespace

socks5_greeting read_socks5_greeting(std::span<const uint8_t> bytes) {
  auto result = socks5_greeting{};
  if (!bytes.empty() && bytes[0] != socks5_version)
    result.state = socks5_state::malformed;
  if (bytes.size() < 2 || result.state == socks5_state::malformed)
    return result;
  auto count = size_t{bytes[1]};
  if (count == 0)
    result.state = socks5_state::malformed;
  if (count == 0 || bytes.size() < 2 + count)
    return result;
  auto methods = bytes.subspan(2, count);
  result.state = socks5_state::complete;
  result.size = 2 + count;
  result.offers_no_password
    = std::find(methods.begin(), methods.end(), no_password) != methods.end();
  return result;
}

socks5_request read_socks5_request(std::span<const uint8_t> bytes) {
  auto result = socks5_request{};
  result.state = socks5_state::malformed;
  if ((!bytes.empty() && bytes[0] != socks5_version)
      || (bytes.size() > 1 && (bytes[1] == 0 || bytes[1] > udp_command))
      || (bytes.size() > 2 && bytes[2] != 0))
    return result;
  result.state = socks5_state::incomplete;
  if (bytes.size() <= head_size)
    return result;
  auto kind = static_cast<address_kind>(bytes[3]);
  auto length = address_size(kind, bytes[head_size]);
  if (length == 0)
    return without_destination(bytes.size(), socks5_reply::no_such_address);
  auto size = head_size + length + 2;
  if (bytes.size() < size)
    return result;
  if (bytes[1] != connect_command)
    return without_destination(size, socks5_reply::no_such_command);
  auto is_name = kind == address_kind::name;
  auto host = host_of(kind, bytes.subspan(head_size + (is_name ? 1 : 0),
                                          length - (is_name ? 1 : 0)));
  auto port = static_cast<uint16_t>(bytes[size - 2] << 8 | bytes[size - 1]);
  if (!host || port == 0)
    return without_destination(size, socks5_reply::not_allowed);
  result.state = socks5_state::complete;
  result.size = size;
  result.destination = network_destination{*host, port};
  return result;
}

std::array<uint8_t, 2> write_socks5_method(bool accepted) {
  return {socks5_version, accepted ? no_password : no_method};
}

std::array<uint8_t, 10> write_socks5_reply(socks5_reply reply) {
  return {socks5_version, static_cast<uint8_t>(reply), 0,
          static_cast<uint8_t>(address_kind::v4)};
}

} // namespace troupe
