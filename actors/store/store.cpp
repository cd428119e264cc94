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

/// Commits the entries one by one after all of them together failed, so that
/// one that cannot be stored does not take the others with it.
void commit_singly(store_state& state) {
  auto one = std::vector<store_commit>(1);
  for (size_t i = 0; i < state.batch.size(); ++i) {
    one.front() = std::move(state.batch[i]);
    auto why = state.disk->commit(one);
    if (!why)
      why = error_of(one.front().refusal, *state.owners[i]);
    if (why)
      state.failed.emplace_back(state.owners[i], std::move(why));
  }
}

void commit(store_ptr self, commit_run& x) {
  auto& state = self->state;
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
    if (x.first->run_id != run.run_id || x.first->epoch != run.epoch
        || !(x.first->session == run.session))
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

} // namespace

void commit_batch(store_state& state) {
  if (state.batch.empty())
    return;
  if (state.disk->commit(state.batch))
    commit_singly(state);
  else
    for (size_t i = 0; i < state.batch.size(); ++i)
      if (auto why = error_of(state.batch[i].refusal, *state.owners[i]))
        state.failed.emplace_back(state.owners[i], std::move(why));
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
    [self](const load_session& x) { return query(self, x); },
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
