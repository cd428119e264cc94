#pragma once

#include "caf/actor_addr.hpp"
#include "caf/behavior.hpp"
#include "caf/fwd.hpp"
#include "caf/message_id.hpp"
#include "caf/scheduled_actor.hpp"
#include "caf/timespan.hpp"

namespace troupe::co::detail {

// Everything about CAF 0.17's response handling that later releases changed.

/// Lets `handler` take the response `id` of `self`.
inline void expect_response(caf::scheduled_actor* self, caf::message_id id,
                            caf::behavior handler) {
  self->add_multiplexed_response_handler(id, std::move(handler));
}

/// Drops the handler of response `id` and the timer behind it: CAF keeps the
/// timer of an answered request, and with it the actor, until it fires.
void forget_response(caf::scheduled_actor* self, caf::message_id id,
                     bool has_timer) noexcept;

/// A fresh response id, for answers that no request asks for.
caf::message_id make_response_id(caf::scheduled_actor* self);

/// Answers `id` with an error at `self` after `delay`, on the actor's clock.
void start_timer(caf::scheduled_actor* self, caf::timespan delay,
                 caf::message_id id);

/// Answers `id` with an error at `self` as soon as `callee` has died. A
/// request to an actor that holds a promise when it dies would otherwise
/// wait for its timeout.
void watch_callee(const caf::strong_actor_ptr& callee,
                  caf::scheduled_actor* self, caf::message_id id);

/// Takes the watch back.
void unwatch_callee(const caf::strong_actor_ptr& callee,
                    caf::scheduled_actor* self, caf::message_id id) noexcept;

/// Sends `answer` for the request `id` of `receiver`, from any thread.
void respond(const caf::strong_actor_ptr& receiver,
             const caf::strong_actor_ptr& sender, caf::message_id id,
             caf::message answer);

} // namespace troupe::co::detail
