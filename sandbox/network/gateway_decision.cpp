#include "troupe/sandbox/network/gateway_decision.hpp"

#include <array>
#include <cstddef>

namespace troupe {

std::string_view to_string(gateway_protocol x) {
  constexpr auto names = std::array<std::string_view, 6>{
    "CONNECT", "http", "socks5", "transparent", "dns", "external"};
  return names[static_cast<size_t>(x)];
}

std::string_view to_string(gateway_reason x) {
  constexpr auto names = std::array<std::string_view, 11>{
    "allowed",       "not allowed",   "malformed", "too large",
    "not supported", "host mismatch", "address",   "name not found",
    "unreachable",   "timed out",     "limit"};
  return names[static_cast<size_t>(x)];
}

} // namespace troupe
