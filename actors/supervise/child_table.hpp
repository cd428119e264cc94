#pragma once

#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/messages/supervise_messages.hpp"
#include "troupe/runtime/supervise/child_spec.hpp"

#include "caf/actor.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

namespace troupe {

/// When a child was added: what that says about its order.
enum class child_order : uint8_t {
  /// Given at spawn: others may depend on it.
  fixed,
  /// Started at run time: nobody depends on it.
  loose,
};

/// One child of a supervisor; coroutines hold on to it while they wait.
struct supervised_child {
  child_spec spec;
  child_order order = child_order::fixed;
  child_state state = child_state::starting;
  /// Null when it does not run.
  caf::actor actor;
  uint64_t restarts = 0;
  /// Is in its supervisor's table.
  bool listed = false;
  /// Is being stopped for good.
  bool leaving = false;
  /// Was killed when it was last stopped.
  bool killed = false;
  /// `actor` has ended.
  co::event ended;
  /// It has left, or cannot be made to.
  co::event left;
};

using child_ptr = std::shared_ptr<supervised_child>;

/// The children of one supervisor in start order. Everything takes constant
/// time, so a supervisor may have very many.
class child_table {
public:
  using list_type = std::list<child_ptr>;

  const list_type& in_order() const noexcept {
    return children_;
  }

  /// Null when there is none.
  child_ptr find(const std::string& id) const;
  child_ptr find(caf::actor_id actor) const;

  /// Appends a child, whose id must not be in use.
  void add(child_ptr what);
  void remove(const child_ptr& what);

  /// Files `what` under its running actor.
  void started(const child_ptr& what, caf::actor actor);

  /// Takes its actor away and sets `ended`.
  void ended(const child_ptr& what);

private:
  list_type children_;
  std::unordered_map<std::string, list_type::iterator> by_id_;
  std::unordered_map<caf::actor_id, child_ptr> by_actor_;
};

} // namespace troupe
