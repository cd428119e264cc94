#pragma once

#include "troupe/sandbox/network/detail/gateway_core.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <optional>
#include <string>

namespace troupe {

/// A connection that the policy allows, or why there is none.
struct dialled {
  std::optional<boost::asio::ip::tcp::socket> socket;
  gateway_reason reason = gateway_reason::not_allowed;
  std::shared_ptr<traffic_counter> counter;
};

/// The one way out: decides about `to`, resolves its name once, checks each
/// address, connects to the first one that passes and answers, and tells of
/// the decision. What was checked is what is dialled.
boost::asio::awaitable<std::shared_ptr<dialled>>
dial(gateway_core* core, gateway_protocol protocol, network_destination to);

} // namespace troupe
