#include "troupe/actors/store/store.hpp"

#include "troupe/actors/store/store_queries.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/event_record.hpp"
#include "troupe/runtime/run/timestamp.hpp"
#include "troupe/storage/sha256.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

void due(store_ptr self) {
  if (std::exchange(self->state.flush_is_due, true))
    return;
  // Behind everything that is in the mailbox by now.
  self->send(self, flush_store{});
}

session_record record_of(const log_entry& entry) {
  if (entry.message)
    return {0, record_kind::message, entry.message->at,
            encode_message(*entry.message), blobs_of(*entry.message)};
  if (!entry.state_json.empty())
    return {0, record_kind::state, now_micros(),
            encode_state(entry.state_json)};
  if (!entry.summary.empty())
    return {0, record_kind::summary, now_micros(),
            encode_summary(entry.summary.front())};
  return {0, record_kind::intent, now_micros(), encode_intent(entry.intent)};
}

store_commit commit_of(commit_run& x) {
  auto result = store_commit{};
  result.run_id = x.run->run_id;
  result.epoch = x.run->epoch;
  if (!x.begin.empty())
    result.begin = std::move(x.begin.front());
  if (!x.change.empty())
    result.change = std::move(x.change.front());
  result.events.reserve(x.events.size());
  for (const auto& event : x.events)
    result.events.push_back(make_event_record(event));
  result.values = std::move(x.values);
  result.artifacts = std::move(x.artifacts);
  result.is_last_word = x.is_last_word;
  if (x.log.empty())
    return result;
  auto& append = result.sessions.emplace_back();
  append.key = x.run->session;
  append.records.reserve(x.log.size());
  for (const auto& entry : x.log)
    append.records.push_back(record_of(entry));
  return result;
}

caf::error error_of(commit_refusal refusal, const run_key& run) {
  switch (refusal) {
    case commit_refusal::none:
      return {};
    case commit_refusal::stale:
      return make_error(errc::storage,
                        "the run was taken over by another process",
                        run.run_id);
    case commit_refusal::session_busy:
      return make_error(errc::storage,
                        "the conversation belongs to another run",
                        run.session.session_id);
    case commit_refusal::out_of_order:
    case commit_refusal::exists:
      break;
  }
  return make_error(errc::internal,
                    "the store has other records of this run than it made",
                    run.run_id);
}

bool is_same_leg(const run_key& x, const run_key& y) {
  return x.run_id == y.run_id && x.epoch == y.epoch;
}

/// Why a commit of the run failed; null where none did.
const caf::error* loss_of(const store_state& state, const run_key& run) {
  for (const auto& [key, why] : state.lost)
    if (is_same_leg(*key, run))
      return &why;
  return nullptr;
}

/// Has nobody be told who comes later that the run misses something.
void forget_loss(store_state& state, const run_key& run) {
  std::erase_if(state.lost,
                [&](const auto& x) { return is_same_leg(*x.first, run); });
}

/// Whether a commit only asked for a conversation: that another run has it is
/// no failure.
bool is_claim(const store_commit& x) {
  return x.sessions.size() == 1 && x.sessions.front().records.empty()
         && !x.begin && !x.change && x.events.empty();
}

/// Keeps why a commit could not be made for its owner. What a run adds after it
/// would leave a gap: that fails, too, and for the same reason.
void keep_failure(store_state& state, const shared<run_key>& owner,
                  const store_commit& x, caf::error why) {
  if (!why)
    why = error_of(x.refusal, *owner);
  auto is_wait = is_claim(x) && x.refusal == commit_refusal::session_busy;
  if (why && !is_wait) {
    if (const auto* before = loss_of(state, *owner))
      why = *before;
    else
      state.lost.emplace_back(owner, why);
    state.failed.emplace_back(owner, std::move(why));
  }
  if (x.change && x.change->status != run_status::running && !x.is_last_word)
    forget_loss(state, *owner); // it has heard of it, or will, and has ended
}

/// Commits the entries one by one after all of them together failed, so that
/// one that cannot be stored does not take the others with it.
void commit_singly(store_state& state) {
  auto one = std::vector<store_commit>(1);
  for (size_t i = 0; i < state.batch.size(); ++i) {
    one.front() = std::move(state.batch[i]);
    auto why = state.disk->commit(one);
    keep_failure(state, state.owners[i], one.front(), std::move(why));
  }
}

void commit(store_ptr self, commit_run& x) {
  auto& state = self->state;
  if (const auto* why = loss_of(state, *x.run); why && !x.is_last_word) {
    state.failed.emplace_back(x.run, *why);
    if (!x.change.empty() && x.change.front().status != run_status::running)
      forget_loss(state, *x.run);
    return;
  }
  state.batch.push_back(commit_of(x));
  state.owners.push_back(std::move(x.run));
  if (state.disk->is_on_disk())
    due(self);
  else
    commit_batch(state);
}

/// The first failure of `run`; all of them are forgotten.
caf::error take_failure(store_state& state, const run_key& run) {
  if (state.failed.empty())
    return {};
  auto result = caf::error{};
  auto is_ours = [&](std::pair<shared<run_key>, caf::error>& x) {
    if (!is_same_leg(*x.first, run) || !(x.first->session == run.session))
      return false;
    if (!result)
      result = std::move(x.second);
    return true;
  };
  auto end = std::remove_if(state.failed.begin(), state.failed.end(), is_ours);
  state.failed.erase(end, state.failed.end());
  return result;
}

caf::result<done> sync(store_ptr self, sync_store& x) {
  auto& state = self->state;
  if (state.batch.empty()) { // all of it has been committed, or has failed
    if (auto why = take_failure(state, *x.run))
      return why;
    return done{};
  }
  state.waiting.push_back(self->make_response_promise());
  state.waiting_for.push_back(std::move(x.run));
  due(self);
  return caf::delegated<done>{};
}

void flush(store_ptr self) {
  auto& state = self->state;
  state.flush_is_due = false;
  commit_batch(state);
  auto waiting = std::exchange(state.waiting, {});
  auto runs = std::exchange(state.waiting_for, {});
  for (size_t i = 0; i < waiting.size(); ++i) {
    if (auto why = take_failure(state, *runs[i]))
      waiting[i].deliver(std::move(why));
    else
      waiting[i].deliver(done{});
  }
}

/// Who asks sees what was sent before.
template <class Message>
auto query(store_ptr self, const Message& x) {
  commit_batch(self->state);
  return answer_query(*self->state.disk, x);
}

/// A conversation, for a run that takes it or only to be read.
caf::result<stored_session> load(store_ptr self, const load_session& x) {
  auto& state = self->state;
  if (x.epoch == 0)
    return query(self, x);
  auto run = shared<run_key>{run_key{x.run_id, x.epoch, x.key}};
  auto claim = store_commit{};
  claim.run_id = x.run_id;
  claim.epoch = x.epoch;
  claim.sessions.push_back({x.key, {}, now_micros()});
  state.batch.push_back(std::move(claim)); // one commit with what began it
  state.owners.push_back(run);
  commit_batch(state);
  if (auto why = take_failure(state, *run))
    return why;
  return answer_query(*state.disk, x);
}

} // namespace

void commit_batch(store_state& state) {
  if (state.batch.empty())
    return;
  if (state.disk->commit(state.batch))
    commit_singly(state);
  else
    for (size_t i = 0; i < state.batch.size(); ++i)
      keep_failure(state, state.owners[i], state.batch[i], {});
  state.batch.clear(); // its room serves the next commit
  state.owners.clear();
}

store_actor::behavior_type
store_behavior(store_ptr self, std::shared_ptr<std::unique_ptr<store>> disk) {
  self->state.disk = std::move(*disk);
  return {
    [self](commit_run& x) { commit(self, x); },
    [self](sync_store& x) { return sync(self, x); },
    [self](flush_store) { flush(self); },
    [self](const load_session& x) { return load(self, x); },
    [self](const list_sessions& x) { return query(self, x); },
    [self](const erase_session& x) { return query(self, x); },
    [self](const fork_session& x) { return query(self, x); },
    [self](const find_run& x) { return query(self, x); },
    [self](const list_runs& x) { return query(self, x); },
    [self](const load_run_events& x) { return query(self, x); },
    [self](const load_run_values& x) { return query(self, x); },
    [self](const load_run_artifacts& x) { return query(self, x); },
    [self](const erase_run& x) { return query(self, x); },
    [self](const acquire_run& x) { return query(self, x); },
    [self](const renew_leases& x) { return query(self, x); },
    [self](const reconcile_runs& x) { return query(self, x); },
    [self](const request_run_cancel& x) { return query(self, x); },
    [self](const find_cancel_requests& x) { return query(self, x); },
    // Nothing here takes long enough to be worth cancelling.
    [](co::cancel_request) {},
  };
}

store_state::~store_state() {
  if (disk)
    commit_batch(*this);
  for (auto& promise : waiting)
    promise.deliver(
      make_error(errc::storage, "the store was closed before it could answer"));
  disk = nullptr;
  // CAF does not join the thread of a detached actor.
  release_hashing_thread();
}

} // namespace troupe
