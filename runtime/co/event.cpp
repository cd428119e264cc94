#include "troupe/runtime/co/event.hpp"

#include "troupe/runtime/co/pending_response.hpp"

#include "caf/behavior.hpp"
#include "caf/error.hpp"

#include <utility>

namespace troupe::co {

void event::set() {
  set_ = true;
  // Whoever is resumed may reset the event and wait again, which is not for
  // this round, or cancel others, who must leave it.
  event_awaiter* round = nullptr;
  while (first_ != nullptr) {
    auto* one = first_;
    one->leave();
    one->join(&round);
  }
  while (round != nullptr) {
    auto* one = round;
    one->leave();
    one->stop_timer();
    one->came_ = true;
    one->waiter_.resume(); // may destroy it
  }
}

event_awaiter event::wait(caf::scheduled_actor* self) {
  return {*this, self, std::nullopt};
}

event_awaiter event::wait_for(caf::scheduled_actor* self, caf::timespan limit) {
  return {*this, self, limit};
}

void event_awaiter::join(event_awaiter** head) noexcept {
  next_ = *head;
  link_ = head;
  if (next_ != nullptr)
    next_->link_ = &next_;
  *head = this;
}

void event_awaiter::leave() noexcept {
  if (link_ == nullptr)
    return;
  *link_ = next_;
  if (next_ != nullptr)
    next_->link_ = link_;
  link_ = nullptr;
}

void event_awaiter::start_timer() {
  timer_ = detail::make_response_id(self_);
  has_timer_ = true;
  detail::expect_response(self_, timer_, caf::behavior{[this](caf::error&) {
                            has_timer_ = false;
                            leave();
                            waiter_.resume(); // may destroy this
                          }});
  detail::start_timer(self_, *limit_, timer_);
}

void event_awaiter::stop_timer() noexcept {
  if (std::exchange(has_timer_, false))
    detail::forget_response(self_, timer_, true);
}

} // namespace troupe::co
