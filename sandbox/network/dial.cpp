#include "troupe/sandbox/network/detail/dial.hpp"

#include "troupe/sandbox/network/detail/deadline.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

using boost::asio::redirect_error;
using boost::asio::use_awaitable;
using boost::asio::ip::tcp;
using boost::system::error_code;

// A name has no more addresses than this that are worth trying.
constexpr size_t most_attempts = 8;

/// One attempt to reach a destination. Its pending operations keep it alive.
class attempt : public std::enable_shared_from_this<attempt> {
public:
  attempt(gateway_core* core, network_destination to)
    : core_(core),
      to_(std::move(to)),
      socket_(core->loop()),
      done_(core->loop(), boost::asio::steady_timer::time_point::max()),
      limit_(core->loop().get_executor(), core->limits().connect) {
    // nop
  }

  // `finish` is called sooner or later, perhaps at once.
  void start() {
    limit_.set(core_->limits().connect, [self = weak_from_this()] {
      if (auto alive = self.lock())
        alive->finish(gateway_reason::timeout, "no answer in time");
    });
    if (to_.host.kind == host_kind::address)
      return check({boost::asio::ip::make_address(to_.host.text)});
    // It may answer on another thread, and when this is over.
    auto answer = [door = core_->door(),
                   self = weak_from_this()](resolved_addresses found) {
      door->post([self, found = std::move(found)] {
        if (auto alive = self.lock())
          alive->check(found);
      });
    };
    if (!core_->resolve(to_.host.text, std::move(answer)))
      resolve();
  }

  bool is_done() const {
    return is_done_;
  }

  boost::asio::steady_timer& done() {
    return done_;
  }

  gateway_reason reason() const {
    return reason_;
  }

  const std::string& detail() const {
    return detail_;
  }

  tcp::socket& socket() {
    return socket_;
  }

private:
  void resolve() {
    auto resolver = std::make_shared<tcp::resolver>(core_->loop());
    resolver->async_resolve(
      to_.host.text, std::to_string(to_.port), tcp::resolver::numeric_service,
      [self = shared_from_this(), resolver](error_code failed, auto found) {
        auto addresses = resolved_addresses{};
        if (!failed)
          for (const auto& x : found)
            addresses.push_back(x.endpoint().address());
        self->check(addresses);
      });
  }

  void check(const resolved_addresses& addresses) {
    if (is_done_)
      return;
    auto judge = core_->make_check();
    auto forbidden = std::string{};
    for (const auto& x : addresses) {
      auto endpoint = tcp::endpoint{x, to_.port};
      auto what = judge(endpoint);
      if (what == address_class::global)
        endpoints_.push_back(endpoint);
      else
        forbidden += " " + x.to_string() + " (" + std::string{to_string(what)}
                     + ")";
    }
    if (addresses.empty())
      return finish(gateway_reason::unresolved, "the name has no address");
    if (endpoints_.empty())
      return finish(gateway_reason::address, "resolves to" + forbidden);
    endpoints_.resize(std::min(endpoints_.size(), most_attempts));
    std::reverse(endpoints_.begin(), endpoints_.end());
    connect();
  }

  void connect() {
    auto endpoint = endpoints_.back();
    endpoints_.pop_back();
    auto ignored = error_code{};
    socket_.close(ignored);
    socket_.async_connect(endpoint, [self = shared_from_this(),
                                     endpoint](error_code failed) {
      if (!self->is_done_)
        self->connected(endpoint, failed);
    });
  }

  void connected(const tcp::endpoint& endpoint, error_code failed) {
    if (!failed)
      return finish(gateway_reason::allowed,
                    "connected to " + endpoint.address().to_string());
    if (!endpoints_.empty())
      return connect();
    finish(gateway_reason::unreachable,
           endpoint.address().to_string() + ": " + failed.message());
  }

  void finish(gateway_reason reason, std::string detail) {
    if (std::exchange(is_done_, true))
      return;
    reason_ = reason;
    detail_ = std::move(detail);
    auto ignored = error_code{};
    if (reason != gateway_reason::allowed)
      socket_.close(ignored);
    else
      socket_.set_option(tcp::no_delay{true}, ignored);
    limit_.clear();
    done_.cancel();
  }

  gateway_core* core_;
  network_destination to_;
  tcp::socket socket_;
  boost::asio::steady_timer done_;
  deadline limit_;
  std::vector<tcp::endpoint> endpoints_;
  gateway_reason reason_ = gateway_reason::timeout;
  std::string detail_;
  bool is_done_ = false;
};

} // namespace

boost::asio::awaitable<std::shared_ptr<dialled>>
dial(gateway_core* core, gateway_protocol protocol, network_destination to) {
  auto result = std::make_shared<dialled>();
  auto decision = gateway_decision{};
  decision.protocol = protocol;
  decision.destination = to_string(to);
  decision.allowed = core->allowed().allows(to);
  if (decision.allowed) {
    auto trial = std::make_shared<attempt>(core, std::move(to));
    trial->start();
    auto ended = error_code{};
    if (!trial->is_done())
      co_await trial->done().async_wait(redirect_error(use_awaitable, ended));
    decision.reason = trial->reason();
    decision.detail = trial->detail();
    decision.allowed = decision.reason == gateway_reason::allowed
                       || is_dial_failure(decision.reason);
    if (decision.reason == gateway_reason::allowed)
      result->socket = std::move(trial->socket());
  }
  result->reason = decision.reason;
  result->counter = core->ledger().at(decision.destination).counter;
  core->decide(decision);
  co_return result;
}

} // namespace troupe
