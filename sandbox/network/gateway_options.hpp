#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/network/address_class.hpp"
#include "troupe/sandbox/network/gateway_decision.hpp"

#include "caf/timespan.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Bounds of one gateway. What is beyond them waits or is refused.
struct gateway_limits {
  /// Connections at one time; more wait in their listener's queue. Each costs
  /// two descriptors and 128 KiB at most.
  size_t connections = 256;
  /// Bytes of the head of a request or of a response.
  size_t head = 32 << 10;
  /// Names that can have a made-up address.
  size_t names = 4096;
  /// Destinations beside those of the list that are counted each; the others
  /// are counted together.
  size_t destinations = 1024;
  /// For a client to say where it wants to go, also between two requests.
  caf::timespan greeting = std::chrono::seconds{30};
  /// For a name to resolve and an address of it to answer.
  caf::timespan connect = std::chrono::seconds{10};
  /// Without a byte in either direction.
  caf::timespan idle = std::chrono::minutes{5};
  /// A connection in all.
  caf::timespan total = std::chrono::hours{1};
};

/// What a name resolved to; empty when it did not.
using resolved_addresses = std::vector<boost::asio::ip::address>;

/// Resolves a name and calls `done` once, on any thread, at once or later, also
/// after the gateway is gone. Called on the gateway's thread: must not block.
using resolver_function = std::function<void(
  const std::string& name, std::function<void(resolved_addresses)> done)>;

/// What a gateway is made with.
struct gateway_options {
  /// In mode external, `gateway` is all that is dialled, whatever its address;
  /// in the others `allow` and `allow_private` count.
  network_settings network;
  gateway_limits limits;
  /// Empty: the host's resolver.
  resolver_function resolve;
  /// Judges an address right before it is dialled: `address_class::global` to
  /// let it pass, or the class that forbids it. Empty: `forbidden_class` with
  /// `allow_private` and the host's own addresses; nothing else is meant for
  /// anything but tests. Called on the gateway's thread.
  std::function<address_class(const boost::asio::ip::tcp::endpoint&)>
    check_address;
  /// For the default of `check_address`, asked at each dial; nothing is dialled
  /// when it has nothing to say. Empty: `list_own_addresses`.
  std::function<std::optional<resolved_addresses>()> own_addresses;
  /// Told of every decision, of DNS once for each name, on the gateway's
  /// thread. Must not block or throw. A process inside decides how often.
  std::function<void(const gateway_decision&)> on_decision;
  /// Told once of what was done for each destination, by the end of the
  /// gateway, on the thread that ends it. Must not block or throw.
  std::function<void(const std::map<std::string, destination_counts>&)> on_end;
};

} // namespace troupe
