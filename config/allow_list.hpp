#pragma once

#include "troupe/config/network_destination.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What allow entries look like, for messages.
inline constexpr std::string_view allow_entry_forms
  = "host:port or *.domain:port, for example api.example.com:443";

/// One entry of `network.allow`.
struct allow_entry {
  /// With `is_wildcard`, the domain without `*.`.
  network_host host;
  uint16_t port = 0;
  /// Every name below the domain, at any depth, but not the domain itself.
  bool is_wildcard = false;
};

/// Reads an entry: a name in lower case, an IPv4 address or an IPv6 one in
/// brackets, as inet_ntop writes them, and a port. Everything else is
/// `errc::configuration` with a message that says what is wrong and a hint
/// that says what to write.
caf::expected<allow_entry> parse_allow_entry(std::string_view text);

/// Which destinations a policy allows. An immutable value.
class allow_list {
public:
  /// Allows nothing.
  allow_list() = default;

  /// Error: the first entry that `parse_allow_entry` refuses.
  static caf::expected<allow_list>
  make(const std::vector<std::string>& entries);

  /// Whether an entry is this very host and port, or a wildcard above this name
  /// with this port.
  bool allows(const network_destination& x) const;

  /// Whether some entry, with whatever port, is about this name.
  bool covers(std::string_view name) const;

private:
  std::vector<allow_entry> entries_;
};

} // namespace troupe
