#pragma once

#include "troupe/sandbox/network/detail/gateway_core.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/udp.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace troupe {

/// The answer to one message, out of the names that the policy covers; nothing
/// where silence is the answer. Asks nobody.
std::optional<std::vector<uint8_t>>
answer_dns(gateway_core& core, std::span<const uint8_t> message);

/// Answers until the socket is closed.
boost::asio::awaitable<void>
serve_dns_socket(gateway_core* core,
                 std::shared_ptr<boost::asio::ip::udp::socket> socket);

} // namespace troupe
