#include "troupe/sandbox/network/detail/gateway_core.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace troupe {

using boost::asio::redirect_error;
using boost::asio::use_awaitable;

void loop_door::post(std::function<void()> f) {
  auto guard = std::lock_guard{mutex_};
  if (loop_ != nullptr)
    boost::asio::post(*loop_, std::move(f));
}

void loop_door::close() {
  auto guard = std::lock_guard{mutex_};
  loop_ = nullptr;
}

gateway_core::gateway_core(gateway_options options, allow_list allowed)
  : options_(std::move(options)),
    allowed_(std::move(allowed)),
    names_(options_.limits.names),
    ledger_(options_.limits.destinations, options_.network.allow) {
  if (options_.network.mode == "external")
    external_ = read_destination(options_.network.gateway);
  if (!options_.own_addresses)
    options_.own_addresses = list_own_addresses;
  door_ = std::make_shared<loop_door>(loop_);
  end_of_one_ = std::make_unique<boost::asio::steady_timer>(
    loop_, boost::asio::steady_timer::time_point::max());
}

gateway_core::~gateway_core() {
  door_->close();
  end_of_one_.reset();
}

bool gateway_core::resolve(const std::string& name,
                           std::function<void(resolved_addresses)> done) {
  if (!options_.resolve)
    return false;
  options_.resolve(name, std::move(done));
  return true;
}

// The addresses of a host change while it runs.
std::function<address_class(const boost::asio::ip::tcp::endpoint&)>
gateway_core::make_check() const {
  if (options_.check_address)
    return options_.check_address;
  // The operator named it, and may well have it on this host.
  if (external_)
    return [](const auto&) { return address_class::global; };
  auto own = options_.own_addresses();
  if (!own)
    return [](const auto&) { return address_class::own; };
  auto policy = address_policy{options_.network.allow_private, std::move(*own)};
  return [policy = std::move(policy)](const auto& x) {
    return forbidden_class(x.address(), policy);
  };
}

void gateway_core::decide(const gateway_decision& x) {
  count(x, ledger_.at(x.destination));
}

void gateway_core::decide_once(const gateway_decision& x) {
  if (auto entry = ledger_.at(x.destination); entry.is_new)
    count(x, entry);
}

void gateway_core::count(const gateway_decision& x,
                         const traffic_ledger::entry& entry) {
  ++(x.allowed ? entry.counter->allowed : entry.counter->refused);
  if (options_.on_decision)
    options_.on_decision(x);
}

// Out of memory, or a callback that throws: one connection is lost.
void gateway_core::take_failure(const std::exception_ptr& failed) {
  if (!failed)
    return;
  auto x = gateway_decision{};
  x.reason = gateway_reason::limit;
  try {
    std::rethrow_exception(failed);
  } catch (const std::exception& why) {
    x.detail = why.what();
  }
  decide(x);
}

gateway_core::slot::slot(gateway_core* core) : core_(core) {
  ++core_->open_;
}

gateway_core::slot::slot(slot&& other) noexcept
  : core_(std::exchange(other.core_, nullptr)) {
  // nop
}

gateway_core::slot::~slot() {
  if (core_ == nullptr)
    return;
  --core_->open_;
  if (core_->end_of_one_)
    core_->end_of_one_->cancel();
}

boost::asio::awaitable<void> gateway_core::wait_for_end() {
  auto cancelled = boost::system::error_code{};
  co_await end_of_one_->async_wait(redirect_error(use_awaitable, cancelled));
}

} // namespace troupe
