#pragma once

#include <boost/asio/ip/address_v4.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// Addresses of 127.128.0.0/9 that stand for names inside a sandbox. A name
/// keeps its address and an address is never given to another name. Lives on
/// one thread.
class made_up_addresses {
public:
  /// For at most `most` names.
  explicit made_up_addresses(size_t most);

  /// The address that stands for `name`, a new one if it has none yet; nothing
  /// when there are too many names.
  std::optional<boost::asio::ip::address_v4> address_of(std::string_view name);

  /// The name that `address` stands for; empty if it was never given out.
  std::string name_of(boost::asio::ip::address_v4 address) const;

private:
  size_t most_;
  std::map<std::string, uint32_t, std::less<>> addresses_;
  std::map<uint32_t, std::string> names_;
};

} // namespace troupe
