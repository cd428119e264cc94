#include "troupe/actors/session/session_registry.hpp"

#include "troupe/actors/session/session.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/sleep.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

using registry_ptr
  = session_registry_actor::stateful_pointer<session_registry_state>;

/// One text for a key; lengths keep ("a", "bc") from ("ab", "c").
std::string flat_key(const session_key& x) {
  return std::to_string(x.agent.size()) + ':' + x.agent
         + std::to_string(x.session_id.size()) + ':' + x.session_id
         + x.actor_id;
}

using registry_entry = session_registry_state::entry;

void start_session(registry_ptr self, const session_key& key,
                   registry_entry& entry) {
  auto spec = session_spec{key, self->state.spec.store, self,
                           std::move(entry.holder),
                           std::move(entry.holder_actor)};
  entry.session = self->spawn<caf::monitored>(session_behavior,
                                              std::move(spec));
}

caf::result<session_turn> open(registry_ptr self, open_turn& x) {
  auto [place, is_new] = self->state.sessions.try_emplace(flat_key(x.key));
  auto& entry = place->second;
  ++entry.opened;
  entry.is_idle = false;
  if (is_new && x.fresh) {
    entry.holder = std::move(x.run_id);
    entry.holder_actor
      = caf::actor_cast<caf::actor_addr>(self->current_sender());
    return session_turn{};
  }
  if (!entry.session)
    start_session(self, x.key, entry);
  return self->delegate(entry.session, std::move(x));
}

void close(registry_ptr self, close_turn& x) {
  auto& sessions = self->state.sessions;
  auto found = sessions.find(flat_key(x.key));
  if (found == sessions.end())
    return;
  if (found->second.session)
    self->send(found->second.session, std::move(x));
  else
    sessions.erase(found); // what it said is in the store
}

/// Ends sessions that have been idle for long enough; whether others are idle.
bool end_idle(registry_ptr self) {
  auto& state = self->state;
  auto since = self->clock().now() - state.spec.idle_after;
  std::erase_if(state.sessions, [&](const auto& x) {
    auto due = x.second.is_idle && x.second.idle_since <= since;
    if (due)
      self->send_exit(x.second.session, caf::exit_reason::user_shutdown);
    return due;
  });
  return std::any_of(state.sessions.begin(), state.sessions.end(),
                     [](const auto& x) { return x.second.is_idle; });
}

/// Sweeps for as long as there are idle sessions: a registry without any has
/// no timer.
co::task<void> sweep(registry_ptr self) {
  auto& state = self->state;
  auto again = true;
  while (again) {
    co_await co::sleep_for(self, state.spec.idle_after);
    again = end_idle(self);
  }
  state.is_sweeping = false;
}

void note_idle(registry_ptr self, const session_idle& x) {
  auto& state = self->state;
  auto found = state.sessions.find(flat_key(x.key));
  // A turn that was passed on meanwhile is not over yet.
  if (found == state.sessions.end() || found->second.opened != x.served)
    return;
  found->second.is_idle = true;
  found->second.idle_since = self->clock().now();
  if (!std::exchange(state.is_sweeping, true))
    state.running.spawn(self, {}, sweep(self));
}

void forget(session_registry_state& state, const caf::actor_addr& who) {
  auto& sessions = state.sessions;
  for (auto i = sessions.begin(); i != sessions.end(); ++i)
    if (i->second.session.address() == who) {
      sessions.erase(i);
      return;
    }
}

} // namespace

session_registry_actor::behavior_type
session_registry_behavior(registry_ptr self, session_registry_spec spec) {
  self->state.spec = std::move(spec);
  self->set_down_handler([self](caf::down_msg& x) {
    // Those it ended itself are no longer listed.
    if (x.reason != caf::exit_reason::user_shutdown)
      forget(self->state, x.source);
  });
  return {
    [self](open_turn& x) { return open(self, x); },
    [self](close_turn& x) { close(self, x); },
    [self](const session_idle& x) { note_idle(self, x); },
    co::serve_cancel(self),
  };
}

} // namespace troupe
