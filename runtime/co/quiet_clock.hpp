#pragma once

#include "caf/abstract_actor.hpp"
#include "caf/actor_clock.hpp"
#include "caf/actor_control_block.hpp"
#include "caf/group.hpp"
#include "caf/mailbox_element.hpp"
#include "caf/message.hpp"

#include <mutex>
#include <unordered_set>
#include <utility>

namespace troupe::co::detail {

/// Passes on to CAF's clock what concerns a timer, and drops the rest. Any
/// thread may call it.
class quiet_clock : public caf::actor_clock {
public:
  explicit quiet_clock(caf::actor_clock& inner) : inner_(inner) {
    // nop
  }

  void set_ordinary_timeout(time_point t, caf::abstract_actor* self,
                            caf::atom_value type, uint64_t id) override {
    note(self);
    inner_.set_ordinary_timeout(t, self, type, id);
  }

  void set_multi_timeout(time_point t, caf::abstract_actor* self,
                         caf::atom_value type, uint64_t id) override {
    note(self);
    inner_.set_multi_timeout(t, self, type, id);
  }

  void set_request_timeout(time_point t, caf::abstract_actor* self,
                           caf::message_id id) override {
    note(self);
    inner_.set_request_timeout(t, self, id);
  }

  void cancel_ordinary_timeout(caf::abstract_actor* self,
                               caf::atom_value type) override {
    if (has_timers(self) && is_referenced(self))
      inner_.cancel_ordinary_timeout(self, type);
  }

  void cancel_request_timeout(caf::abstract_actor* self,
                              caf::message_id id) override {
    if (has_timers(self) && is_referenced(self))
      inner_.cancel_request_timeout(self, id);
  }

  void cancel_timeouts(caf::abstract_actor* self) override {
    if (forget(self) && is_referenced(self))
      inner_.cancel_timeouts(self);
  }

  void schedule_message(time_point t, caf::strong_actor_ptr receiver,
                        caf::mailbox_element_ptr content) override {
    inner_.schedule_message(t, std::move(receiver), std::move(content));
  }

  void schedule_message(time_point t, caf::group target,
                        caf::strong_actor_ptr sender,
                        caf::message content) override {
    inner_.schedule_message(t, std::move(target), std::move(sender),
                            std::move(content));
  }

  void cancel_all() override {
    inner_.cancel_all();
  }

private:
  /// A timer refers to its actor, so one that nothing refers to any more has
  /// none. It may be the clock's own thread that destroys it, with the last of
  /// them: to put a request into its full queue would wait for itself.
  static bool is_referenced(caf::abstract_actor* self) {
    return self->ctrl()->strong_refs.load() > 0;
  }

  void note(caf::abstract_actor* self) {
    auto guard = std::lock_guard{mutex_};
    with_timers_.insert(self);
  }

  bool has_timers(caf::abstract_actor* self) {
    auto guard = std::lock_guard{mutex_};
    return with_timers_.contains(self);
  }

  bool forget(caf::abstract_actor* self) {
    auto guard = std::lock_guard{mutex_};
    return with_timers_.erase(self) > 0;
  }

  caf::actor_clock& inner_;
  std::mutex mutex_;
  /// Actors that have set a timer and not ended.
  std::unordered_set<caf::abstract_actor*> with_timers_;
};

} // namespace troupe::co::detail
