#include "troupe/sandbox/network/made_up_addresses.hpp"

#include <algorithm>

namespace troupe {

namespace {

using boost::asio::ip::address_v4;

// 127.128.0.1: some refuse an address that ends in zeros.
constexpr uint32_t first = 0x7f800001;

// Far from the end of 127.0.0.0/8.
constexpr size_t most_of_all = size_t{1} << 20;

} // namespace

made_up_addresses::made_up_addresses(size_t most)
  : most_(std::min(most, most_of_all)) {
  // nop
}

std::optional<address_v4> made_up_addresses::address_of(std::string_view name) {
  if (auto known = addresses_.find(name); known != addresses_.end())
    return address_v4{known->second};
  if (addresses_.size() >= most_)
    return std::nullopt;
  auto result = first + static_cast<uint32_t>(addresses_.size());
  addresses_.emplace(name, result);
  names_.emplace(result, name);
  return address_v4{result};
}

std::string made_up_addresses::name_of(address_v4 address) const {
  auto found = names_.find(address.to_uint());
  return found == names_.end() ? std::string{} : found->second;
}

} // namespace troupe
