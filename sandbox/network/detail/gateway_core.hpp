#pragma once

#include "troupe/config/allow_list.hpp"
#include "troupe/sandbox/network/detail/traffic_ledger.hpp"
#include "troupe/sandbox/network/gateway_options.hpp"
#include "troupe/sandbox/network/made_up_addresses.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace troupe {

/// The way back to a loop from other threads, which ends with it.
class loop_door {
public:
  explicit loop_door(boost::asio::io_context& loop) : loop_(&loop) {
    // nop
  }

  /// Runs `f` on the loop, unless it is gone.
  void post(std::function<void()> f);

  void close();

private:
  std::mutex mutex_;
  boost::asio::io_context* loop_;
};

/// What the parts of a gateway share. Lives on the gateway's thread; outlives
/// every frame on its loop, so these hold a plain pointer to it.
class gateway_core {
public:
  gateway_core(gateway_options options, allow_list allowed);

  gateway_core(const gateway_core&) = delete;
  gateway_core& operator=(const gateway_core&) = delete;

  ~gateway_core();

  boost::asio::io_context& loop() {
    return loop_;
  }

  const gateway_limits& limits() const {
    return options_.limits;
  }

  const allow_list& allowed() const {
    return allowed_;
  }

  /// The gateway that the policy declares, where it does.
  const std::optional<network_destination>& external() const {
    return external_;
  }

  made_up_addresses& names() {
    return names_;
  }

  traffic_ledger& ledger() {
    return ledger_;
  }

  const traffic_ledger& ledger() const {
    return ledger_;
  }

  const std::shared_ptr<loop_door>& door() const {
    return door_;
  }

  /// Asks the resolver of the options; nothing if there is none.
  bool resolve(const std::string& name,
               std::function<void(resolved_addresses)> done);

  /// The judgement of the options about addresses, as this host is now.
  std::function<address_class(const boost::asio::ip::tcp::endpoint&)>
  make_check() const;

  /// Counts a decision and tells of it.
  void decide(const gateway_decision& x);

  /// As above, but of each destination once: for what costs a process nothing
  /// to ask.
  void decide_once(const gateway_decision& x);

  /// What becomes of a coroutine that ends with an exception.
  void take_failure(const std::exception_ptr& failed);

  // -- a bounded number of connections ----------------------------------------

  /// Held by each connection.
  class slot {
  public:
    explicit slot(gateway_core* core);
    slot(slot&& other) noexcept;
    slot& operator=(slot&&) = delete;
    ~slot();

  private:
    gateway_core* core_;
  };

  bool is_full() const {
    return open_ >= limits().connections;
  }

  /// Waits until a connection ends.
  boost::asio::awaitable<void> wait_for_end();

private:
  void count(const gateway_decision& x, const traffic_ledger::entry& entry);

  gateway_options options_;
  allow_list allowed_;
  std::optional<network_destination> external_;
  made_up_addresses names_;
  traffic_ledger ledger_;
  size_t open_ = 0;
  // Gone before the loop is; the slots of its last frames look.
  std::unique_ptr<boost::asio::steady_timer> end_of_one_;
  std::shared_ptr<loop_door> door_;
  // The last: its frames use what stands above when they are destroyed.
  boost::asio::io_context loop_{1};
};

} // namespace troupe
