#include "troupe/runtime/co/pending_response.hpp"

#include "caf/actor_clock.hpp"
#include "caf/actor_control_block.hpp"
#include "caf/attachable.hpp"
#include "caf/duration.hpp"
#include "caf/mailbox_element.hpp"
#include "caf/sec.hpp"

#include <memory>
#include <utility>

namespace troupe::co::detail {

namespace {

/// Names the member map that CAF keeps protected.
struct response_access : caf::scheduled_actor {
  static auto& handlers(caf::scheduled_actor* self) {
    return self->*&response_access::multiplexed_responses_;
  }
};

/// Which watch to take back.
struct watch_token {
  // Numbers up to 3 are CAF's own.
  static constexpr size_t token_type = 100;

  caf::actor_addr caller;
  caf::message_id id;
};

class callee_watch : public caf::attachable {
public:
  callee_watch(caf::actor_addr caller, caf::message_id id)
    : caller_(std::move(caller)),
      id_(id) {
    // nop
  }

  void actor_exited(const caf::error&, caf::execution_unit*) override {
    if (auto caller = caf::actor_cast<caf::strong_actor_ptr>(caller_))
      caller->enqueue(nullptr, id_,
                      caf::make_message(
                        caf::make_error(caf::sec::request_receiver_down)),
                      nullptr);
  }

  bool matches(const token& what) override {
    if (what.subtype != watch_token::token_type)
      return false;
    const auto& wanted = *static_cast<const watch_token*>(what.ptr);
    return wanted.id == id_ && wanted.caller == caller_;
  }

private:
  caf::actor_addr caller_;
  caf::message_id id_;
};

} // namespace

void forget_response(caf::scheduled_actor* self, caf::message_id id,
                     bool has_timer) noexcept {
  response_access::handlers(self).erase(id);
  if (has_timer)
    self->clock().cancel_request_timeout(self, id);
}

caf::message_id make_response_id(caf::scheduled_actor* self) {
  return self->new_request_id(caf::message_priority::normal).response_id();
}

void start_timer(caf::scheduled_actor* self, caf::timespan delay,
                 caf::message_id id) {
  auto when
    = self->clock().now()
      + std::chrono::duration_cast<caf::actor_clock::duration_type>(delay);
  self->clock().set_request_timeout(when, self, id);
}

void watch_callee(const caf::strong_actor_ptr& callee,
                  caf::scheduled_actor* self, caf::message_id id) {
  callee->get()->attach(std::make_unique<callee_watch>(self->address(), id));
}

void unwatch_callee(const caf::strong_actor_ptr& callee,
                    caf::scheduled_actor* self, caf::message_id id) noexcept {
  callee->get()->detach(watch_token{self->address(), id});
}

void respond(const caf::strong_actor_ptr& receiver,
             const caf::strong_actor_ptr& sender, caf::message_id id,
             caf::message answer) {
  receiver->enqueue(sender, id, std::move(answer), nullptr);
}

} // namespace troupe::co::detail
