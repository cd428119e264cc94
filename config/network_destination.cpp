#include "troupe/config/network_destination.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace troupe {

namespace {

constexpr size_t longest_name = 253;
constexpr size_t longest_label = 63;

// Not of <cctype>: these do not depend on a locale.
bool is_digit(char x) {
  return x >= '0' && x <= '9';
}

bool is_hex_digit(char x) {
  return is_digit(x) || (x >= 'a' && x <= 'f');
}

bool is_label_char(char x) {
  return is_digit(x) || (x >= 'a' && x <= 'z') || x == '-' || x == '_';
}

char to_lower(char x) {
  return x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x;
}

bool is_label(std::string_view x) {
  return !x.empty() && x.size() <= longest_label && x.front() != '-'
         && x.back() != '-' && std::all_of(x.begin(), x.end(), is_label_char);
}

bool is_name(std::string_view x) {
  if (x.size() > longest_name)
    return false;
  for (auto dot = x.find('.'); dot != std::string_view::npos;
       dot = x.find('.')) {
    if (!is_label(x.substr(0, dot)))
      return false;
    x.remove_prefix(dot + 1);
  }
  return is_label(x);
}

// No top-level domain is a number, but inet_aton reads one.
bool ends_in_number(std::string_view name) {
  auto last = name.substr(name.rfind('.') + 1);
  if (last.starts_with("0x"))
    return std::all_of(last.begin() + 2, last.end(), is_hex_digit);
  return std::all_of(last.begin(), last.end(), is_digit);
}

// The address as inet_ntop writes it.
template <class Address>
std::optional<network_host> read_address(int family, const std::string& text) {
  auto address = Address{};
  // What stands after a NUL would not be looked at.
  if (text.find('\0') != std::string::npos
      || ::inet_pton(family, text.c_str(), &address) != 1)
    return std::nullopt;
  auto buffer = std::array<char, INET6_ADDRSTRLEN>{};
  if (::inet_ntop(family, &address, buffer.data(), buffer.size()) == nullptr)
    return std::nullopt;
  return network_host{buffer.data(), host_kind::address};
}

} // namespace

std::optional<network_host> read_host(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']')
    return read_address<in6_addr>(AF_INET6,
                                  std::string{text.substr(1, text.size() - 2)});
  auto name = std::string{text};
  std::transform(name.begin(), name.end(), name.begin(), to_lower);
  if (!is_name(name))
    return std::nullopt;
  if (!ends_in_number(name))
    return network_host{std::move(name), host_kind::name};
  if (auto address = read_address<in_addr>(AF_INET, name))
    return address;
  return network_host{std::move(name), host_kind::number};
}

std::optional<uint16_t> read_port(std::string_view text) {
  auto result = uint16_t{0};
  if (text.empty() || !is_digit(text.front()) || text.front() == '0')
    return std::nullopt;
  const auto* first = text.data();
  const auto* last = first + text.size();
  auto [end, failed] = std::from_chars(first, last, result);
  if (failed != std::errc{} || end != last)
    return std::nullopt;
  return result;
}

std::optional<network_destination> read_destination(std::string_view text,
                                                    uint16_t default_port) {
  // The colons of an IPv6 address are inside its brackets.
  auto bracket = text.rfind(']');
  auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  auto host = read_host(text.substr(0, colon));
  if (!host)
    return std::nullopt;
  auto port = std::optional<uint16_t>{};
  if (colon != std::string_view::npos)
    port = read_port(text.substr(colon + 1));
  else if (default_port != 0)
    port = default_port;
  if (!port)
    return std::nullopt;
  return network_destination{std::move(*host), *port};
}

std::string to_string(const network_destination& x) {
  const auto& host = x.host.text;
  auto is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? '[' + host + ']' : host) + ':' + std::to_string(x.port);
}

} // namespace troupe
