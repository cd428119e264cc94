#include "troupe/actors/store/store.hpp"

#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

using store_ptr = store_actor::stateful_pointer<store_state>;

constexpr auto page_size = size_t{1024};

void due(store_ptr self) {
  if (std::exchange(self->state.flush_is_due, true))
    return;
  // Behind everything that is in the mailbox by now.
  self->send(self, flush_store{});
}

caf::error refused(const store_commit& entry) {
  if (entry.refusal == commit_refusal::none)
    return {};
  return make_error(errc::storage, "the conversation belongs to another run");
}

void fail(store_state& state, const store_commit& entry,
          const caf::error& why) {
  for (const auto& session : entry.sessions)
    state.failed.emplace_back(session.key, why);
}

/// Stores the entries one by one after all of them together failed, so that
/// one that cannot be stored does not take the others with it.
void append_singly(store_state& state, std::vector<store_commit> batch) {
  auto one = std::vector<store_commit>(1);
  for (auto& entry : batch) {
    one.front() = std::move(entry);
    auto why = state.sessions->commit(one);
    if (!why)
      why = refused(one.front());
    if (why)
      fail(state, one.front(), why);
  }
}

void commit(store_state& state) {
  if (state.batch.empty())
    return;
  if (state.sessions->commit(state.batch))
    append_singly(state, std::move(state.batch));
  else
    for (const auto& entry : state.batch)
      if (auto why = refused(entry))
        fail(state, entry, why);
  state.batch.clear(); // its room serves the next commit
}

void append(store_ptr self, append_session& x) {
  auto entry = session_append{std::move(x.key), {}};
  for (const auto& message : x.messages)
    entry.records.push_back(
      {0, record_kind::message, message->at, encode_message(*message)});
  if (!x.state_json.empty())
    entry.records.push_back(
      {0, record_kind::state, now_micros(), encode_state(x.state_json)});
  self->state.batch.emplace_back().sessions.push_back(std::move(entry));
  if (self->state.sessions->is_on_disk())
    due(self);
  else
    commit(self->state);
}

/// The first failure of `key`; all of them are forgotten.
caf::error take_failure(store_state& state, const session_key& key) {
  auto result = caf::error{};
  auto is_ours = [&](std::pair<session_key, caf::error>& x) {
    if (!(x.first == key))
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
    if (auto why = take_failure(state, x.key))
      return why;
    return done{};
  }
  state.waiting.push_back(self->make_response_promise());
  state.waiting_for.push_back(std::move(x.key));
  due(self);
  return caf::delegated<done>{};
}

void flush(store_ptr self) {
  auto& state = self->state;
  state.flush_is_due = false;
  commit(state);
  auto waiting = std::exchange(state.waiting, {});
  auto keys = std::exchange(state.waiting_for, {});
  for (size_t i = 0; i < waiting.size(); ++i) {
    if (auto why = take_failure(state, keys[i]))
      waiting[i].deliver(std::move(why));
    else
      waiting[i].deliver(done{});
  }
}

caf::error take_record(const session_record& record, stored_session& out) {
  if (record.kind == record_kind::state) {
    auto state = decode_state(record.body);
    if (!state)
      return std::move(state.error());
    out.state_json = std::move(*state);
    return {};
  }
  auto message = decode_message(record.body);
  if (!message)
    return std::move(message.error());
  out.messages.emplace_back(std::move(*message));
  return {};
}

caf::result<stored_session> load(store_state& state, const session_key& key) {
  commit(state);
  auto result = stored_session{};
  for (auto after = uint64_t{0};;) {
    auto page = state.sessions->load(key, after, page_size);
    if (!page)
      return std::move(page.error());
    for (const auto& record : *page)
      if (auto why = take_record(record, result))
        return why;
    if (page->size() < page_size)
      return result;
    after = page->back().seq;
  }
}

} // namespace

store_actor::behavior_type
store_behavior(store_ptr self,
               std::shared_ptr<std::unique_ptr<store>> sessions) {
  self->state.sessions = std::move(*sessions);
  return {
    [self](append_session& x) { append(self, x); },
    [self](sync_store& x) { return sync(self, x); },
    [self](const load_session& x) { return load(self->state, x.key); },
    [self](const list_sessions& x) -> caf::result<session_list> {
      commit(self->state);
      auto all = self->state.sessions->list(x.session_id);
      if (!all)
        return std::move(all.error());
      return session_list{std::move(*all)};
    },
    [self](const erase_session& x) -> caf::result<erased_sessions> {
      commit(self->state);
      auto count = self->state.sessions->erase(x.key);
      if (!count)
        return std::move(count.error());
      return erased_sessions{*count};
    },
    [self](flush_store) { flush(self); },
    // Nothing here takes long enough to be worth cancelling.
    [](co::cancel_request) {},
  };
}

store_state::~store_state() {
  if (sessions)
    commit(*this);
  for (auto& promise : waiting)
    promise.deliver(
      make_error(errc::storage, "the store was closed before it could answer"));
}

} // namespace troupe
