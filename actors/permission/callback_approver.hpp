#pragma once

#include "troupe/runtime/co/blocking_pool.hpp"
#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include <functional>
#include <memory>
#include <set>
#include <string>

namespace troupe {

using ask_callback
  = std::function<permission_answer(const permission_request&)>;

/// Asks a C++ callback, which may block (a person at a terminal), on the
/// blocking pool; one question at a time. Remembers what was allowed
/// `always`: for the session, the capability and the subject it was said of.
struct callback_approver_state {
  static inline const char* name = "approver";

  ask_callback callback;
  std::shared_ptr<co::blocking_pool> pool;
  std::set<std::string> remembered;
  bool is_asking = false;
  co::event is_free;
  co::scope running;
};

approver_actor::behavior_type callback_approver_behavior(
  approver_actor::stateful_pointer<callback_approver_state> self,
  ask_callback callback, std::shared_ptr<co::blocking_pool> pool);

} // namespace troupe
