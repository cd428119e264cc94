#pragma once

#include "troupe/sandbox/network/detail/deadline.hpp"
#include "troupe/sandbox/network/detail/gateway_core.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// Two connections that are passed on to each other as they are, each way
/// through one buffer: who reads slowly slows down who writes. The end of one
/// direction is passed on and leaves the other open; a connection that breaks
/// breaks the other. Its pending operations keep it alive.
class tunnel : public std::enable_shared_from_this<tunnel> {
public:
  tunnel(boost::asio::ip::tcp::socket client,
         boost::asio::ip::tcp::socket upstream, gateway_core::slot slot,
         std::shared_ptr<traffic_counter> counter,
         const gateway_limits& limits);

  /// `early` is what the client had sent before.
  void start(std::string_view early);

private:
  struct side {
    explicit side(boost::asio::ip::tcp::socket x) : socket(std::move(x)) {
      // nop
    }

    boost::asio::ip::tcp::socket socket;
    /// What came from it.
    std::array<char, 32 << 10> bytes;
    bool is_at_end = false;
  };

  void read(side& from, side& to, std::atomic<uint64_t>& count);
  void write(side& from, side& to, std::atomic<uint64_t>& count, size_t size);
  void end(side& from, side& to);
  void break_off();

  side client_;
  side upstream_;
  gateway_core::slot slot_;
  std::shared_ptr<traffic_counter> counter_;
  caf::timespan idle_;
  deadline limit_;
};

} // namespace troupe
