#include "troupe/actors/supervise/child_table.hpp"

#include <utility>

namespace troupe {

child_ptr child_table::find(const std::string& id) const {
  auto i = by_id_.find(id);
  return i == by_id_.end() ? nullptr : *i->second;
}

child_ptr child_table::find(caf::actor_id actor) const {
  auto i = by_actor_.find(actor);
  return i == by_actor_.end() ? nullptr : i->second;
}

void child_table::add(child_ptr what) {
  auto& id = what->spec.id;
  what->listed = true;
  by_id_.emplace(id, children_.insert(children_.end(), what));
}

void child_table::remove(const child_ptr& what) {
  auto i = by_id_.find(what->spec.id);
  if (i == by_id_.end() || *i->second != what)
    return;
  what->listed = false;
  children_.erase(i->second);
  by_id_.erase(i);
}

void child_table::started(const child_ptr& what, caf::actor actor) {
  by_actor_.emplace(actor.id(), what);
  what->actor = std::move(actor);
  what->state = child_state::running;
  what->killed = false;
  what->ended.reset();
}

void child_table::ended(const child_ptr& what) {
  by_actor_.erase(what->actor.id());
  what->actor = caf::actor{};
  what->ended.set();
}

} // namespace troupe
