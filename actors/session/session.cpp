#include "troupe/actors/session/session.hpp"

#include "troupe/actors/session/session_owner.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/model/history.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

void grant_next(session_ptr self);

} // namespace

/// A place in the queue for the turn; leaves it when its frame goes.
class turn_place {
public:
  turn_place(session_ptr self, std::string run_id, caf::actor_addr actor)
    : self_(self),
      run_id_(std::move(run_id)),
      actor_(std::move(actor)) {
    self_->state.queue.push_back(this);
  }

  turn_place(const turn_place&) = delete;
  turn_place& operator=(const turn_place&) = delete;

  ~turn_place() {
    auto& queue = self_->state.queue;
    auto found = std::find(queue.begin(), queue.end(), this);
    if (found == queue.end())
      return;
    queue.erase(found);
    ++self_->state.served;
  }

  const std::string& run_id() const noexcept {
    return run_id_;
  }

  const caf::actor_addr& actor() const noexcept {
    return actor_;
  }

  /// Set when the turn is this run's.
  co::event granted;
  /// What cancels the frame that waits here.
  co::frame_key frame;

private:
  session_ptr self_;
  std::string run_id_;
  caf::actor_addr actor_;
};

namespace {

void tell_if_idle(session_ptr self) {
  auto& state = self->state;
  if (state.holder.empty() && state.queue.empty())
    self->send(state.spec.registry, session_idle{state.spec.key, state.served});
}

void grant_next(session_ptr self) {
  auto& state = self->state;
  if (!state.holder.empty() || state.queue.empty())
    return;
  auto* next = state.queue.front();
  state.queue.erase(state.queue.begin());
  state.holder = next->run_id();
  state.holder_actor = next->actor();
  next->granted.set();
}

void end_turn(session_ptr self) {
  auto& state = self->state;
  self->demonitor(state.holder_actor);
  state.holder.clear();
  state.holder_actor = nullptr;
  ++state.served;
  grant_next(self);
  tell_if_idle(self);
}

session_turn turn_from(stored_session stored, bool resumes) {
  auto rule = resumes ? open_turn_rule::keep : open_turn_rule::close;
  auto history = repair_history(std::move(stored.messages), rule);
  auto result = session_turn{};
  result.messages = std::move(history.messages);
  result.repaired = std::move(history.added);
  result.settled = std::move(history.open);
  result.state_json = std::move(stored.state_json);
  result.records = stored.records;
  result.answer_record = stored.answer_record;
  if (resumes)
    result.intents = std::move(stored.intents);
  return result;
}

/// The conversation as it is stored, or as it is here where nothing was added
/// to it since; waits until no other run has it, in whatever process. That none
/// has it and that this run takes it is one step of the store.
co::task<session_turn> load(session_ptr self, open_turn request) {
  auto& state = self->state;
  auto query = load_session{state.spec.key};
  query.run_id = request.run_id;
  query.epoch = request.epoch;
  if (state.is_loaded)
    query.known_records = state.records;
  for (;;) {
    auto asked = co::request<stored_session>(self, state.spec.store,
                                             caf::infinite, query);
    auto stored = co_await asked;
    if (stored.open_run.empty() || stored.open_run == request.run_id) {
      if (!stored.is_known)
        co_return turn_from(std::move(stored), request.resumes);
      auto result = session_turn{};
      result.messages = std::exchange(state.messages, {});
      result.state_json = state.state_json;
      result.records = state.records;
      co_return result;
    }
    co_await await_release(self, std::move(stored.open_run));
  }
}

/// Waits for the turn and gives the conversation away with it.
co::task<session_turn> take_turn(session_ptr self, open_turn request,
                                 caf::actor_addr caller, co::frame_key frame) {
  auto place = turn_place{self, request.run_id, std::move(caller)};
  place.frame = frame;
  grant_next(self);
  co_await place.granted.wait(self);
  auto& state = self->state;
  auto result = session_turn{};
  if (!request.fresh) {
    auto failed = caf::error{};
    try {
      result = co_await load(self, std::move(request));
    } catch (const co::failure& why) {
      failed = why.reason();
    }
    if (failed) {
      end_turn(self);
      throw co::failure{std::move(failed)};
    }
  }
  state.messages.clear();
  state.is_loaded = false;
  co_return result;
}

auto serve_turn(session_ptr self, open_turn& request) {
  const auto& caller = self->current_sender();
  if (caller)
    self->monitor(caller);
  auto frame = co::request_key(caller,
                               self->current_message_id().integer_value());
  auto address = caf::actor_cast<caf::actor_addr>(caller);
  return co::reply_with<session_turn>(
    self, take_turn(self, std::move(request), std::move(address), frame));
}

void close(session_ptr self, close_turn& x) {
  auto& state = self->state;
  if (state.holder == x.run_id) {
    if (x.keep) {
      state.messages = std::move(x.messages);
      state.state_json = std::move(x.state_json);
      state.records = x.records;
      state.is_loaded = true;
    }
    end_turn(self);
    return;
  }
  for (auto* place : state.queue)
    if (place->run_id() == x.run_id) {
      state.running.cancel(place->frame);
      break;
    }
  tell_if_idle(self);
}

/// A run that died without a word: what it had is in the store.
void forget_caller(session_ptr self, const caf::actor_addr& who) {
  auto& state = self->state;
  auto frames = std::vector<co::frame_key>{};
  for (auto* place : state.queue)
    if (place->actor() == who)
      frames.push_back(place->frame);
  for (auto frame : frames)
    state.running.cancel(frame);
  if (!state.holder.empty() && state.holder_actor == who)
    end_turn(self);
  else
    tell_if_idle(self);
}

} // namespace

session_actor::behavior_type session_behavior(session_ptr self,
                                              session_spec spec) {
  auto& state = self->state;
  state.spec = std::move(spec);
  self->set_down_handler(
    [self](caf::down_msg& x) { forget_caller(self, x.source); });
  state.holder = state.spec.holder;
  state.holder_actor = state.spec.holder_actor;
  if (!state.holder.empty())
    self->monitor(state.holder_actor);
  return {
    [self](open_turn& x) { return serve_turn(self, x); },
    [self](close_turn& x) { close(self, x); },
    co::serve_cancel(self),
  };
}

} // namespace troupe
