#include "troupe/runtime/co/serve.hpp"

#include "caf/actor_control_block.hpp"
#include "caf/make_message.hpp"

namespace troupe::co {

namespace detail {

void reply::drop(const linger_ptr& lingering) {
  if (!promise_.pending())
    return;
  auto cancelled = make_error(errc::cancelled, "the caller was cancelled");
  if (!lingering) {
    promise_.deliver(std::move(cancelled));
    return;
  }
  // The actor may be gone by then, so its promise is not used: an answer is a
  // message to the caller like any other.
  auto caller = promise_.next();
  auto id = promise_.id().response_id();
  lingering->then([caller, id, answer = caf::make_message(cancelled)] {
    respond(caller, nullptr, id, answer);
  });
}

} // namespace detail

frame_key request_key(const caf::strong_actor_ptr& caller, uint64_t id) {
  // Priority bits differ between a request and what its sender remembers.
  constexpr auto number = (uint64_t{1} << 60) - 1;
  return {reinterpret_cast<uintptr_t>(caller.get()), id & number};
}

} // namespace troupe::co
