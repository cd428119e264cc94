#include "troupe/sandbox/network/detail/deadline.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

// No sum of a point in time and a limit overflows.
constexpr caf::timespan longest = std::chrono::hours{24 * 365};

deadline::clock::duration bounded(caf::timespan x) {
  return std::clamp<caf::timespan>(x, caf::timespan{0}, longest);
}

} // namespace

deadline::deadline(const boost::asio::any_io_executor& executor,
                   caf::timespan total)
  : state_(std::make_shared<state>(executor)) {
  state_->end = clock::now() + bounded(total);
}

deadline::~deadline() {
  clear();
}

void deadline::set(caf::timespan limit, std::function<void()> then) {
  state_->then = std::move(then);
  state_->limit = bounded(limit);
  touch();
  wait(state_);
}

void deadline::touch() {
  state_->due = std::min(clock::now() + state_->limit, state_->end);
}

void deadline::clear() {
  state_->then = nullptr;
  state_->timer.cancel();
}

// A wait that finds itself pushed back waits again.
void deadline::wait(const std::shared_ptr<state>& x) {
  x->timer.expires_at(x->due);
  x->timer.async_wait([x](const boost::system::error_code& failed) {
    if (failed || !x->then)
      return;
    if (clock::now() < x->due)
      return wait(x);
    std::exchange(x->then, nullptr)();
  });
}

} // namespace troupe
