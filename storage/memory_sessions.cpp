#include "troupe/storage/memory_sessions.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

size_t memory_sessions::hash_key::operator()(const session_key& x) const {
  auto hash = std::hash<std::string>{};
  return (hash(x.session_id) * 31 + hash(x.agent)) * 31 + hash(x.actor_id);
}

bool memory_sessions::is_free(const session_key& key, const std::string& run_id,
                              const is_open_fun& is_open) const {
  auto found = sessions_.find(key);
  if (found == sessions_.end())
    return true;
  const auto& owner = found->second.run_id;
  return owner.empty() || owner == run_id || !is_open(owner);
}

void memory_sessions::append(session_append& entry, const std::string& run_id) {
  if (!takes_session(entry))
    return;
  auto& to = sessions_[entry.key];
  if (to.records == nullptr || (to.records->size() == 0 && !to.parent)) {
    to.records = std::make_shared<log>();
    to.created_at = entry.records.empty() ? entry.claimed_at
                                          : entry.records.front().at;
    to.updated_at = to.created_at;
    // All of a short run at once: a session seldom has fewer messages.
    to.records->own.reserve(4);
  }
  for (auto& record : entry.records) {
    record.seq = to.records->size() + 1;
    count(to, record);
    to.updated_at = record.at;
    to.records->own.push_back(record);
  }
  to.run_id = run_id;
}

void memory_sessions::count(session& to, const session_record& record) {
  to.messages += record.kind == record_kind::message ? 1 : 0;
  if (record.kind == record_kind::state)
    to.last_state = record.seq;
  if (record.kind == record_kind::summary)
    to.last_summary = record.seq;
}

const session_record& memory_sessions::record_at(const log& x, uint64_t seq) {
  const auto* at = &x;
  while (seq <= at->shared)
    at = at->parent.get();
  return at->own[seq - at->shared - 1];
}

std::vector<session_record> memory_sessions::load(const session_key& key,
                                                  uint64_t after,
                                                  size_t max) const {
  auto result = std::vector<session_record>{};
  auto found = sessions_.find(key);
  if (found == sessions_.end())
    return result;
  const auto& records = *found->second.records;
  auto first = std::min(after, records.size());
  auto count = std::min<uint64_t>(max, records.size() - first);
  result.reserve(count);
  for (auto seq = first + 1; seq <= first + count; ++seq)
    result.push_back(record_at(records, seq));
  return result;
}

session_summary memory_sessions::summarize(const session_key& key,
                                           const session& x,
                                           const is_open_fun& is_open) {
  auto is_owned = !x.run_id.empty() && is_open(x.run_id);
  return {key,
          x.records->size(),
          x.messages,
          x.created_at,
          x.updated_at,
          is_owned ? x.run_id : std::string{},
          x.last_state,
          x.last_summary,
          x.parent ? *x.parent : session_key{},
          x.parent_records};
}

std::optional<session_summary>
memory_sessions::find(const session_key& key,
                      const is_open_fun& is_open) const {
  auto found = sessions_.find(key);
  if (found == sessions_.end())
    return std::nullopt;
  auto result = summarize(key, found->second, is_open);
  if (!has_begun(result) && result.open_run.empty())
    return std::nullopt;
  return result;
}

std::vector<session_summary>
memory_sessions::list(const std::string& session_id,
                      const is_open_fun& is_open) const {
  auto result = std::vector<session_summary>{};
  for (const auto& [key, x] : sessions_)
    if (session_id.empty() || key.session_id == session_id)
      if (auto one = summarize(key, x, is_open); has_begun(one))
        result.push_back(std::move(one));
  std::sort(result.begin(), result.end(), is_listed_before);
  return result;
}

bool memory_sessions::fork(const session_key& from, uint64_t records,
                           const session_key& to, int64_t at,
                           const is_open_fun& is_open) {
  auto parent = sessions_.find(from);
  if (parent == sessions_.end() || find(to, is_open)
      || records > parent->second.records->size())
    return false;
  auto child = session{};
  child.records = std::make_shared<log>();
  auto shared = parent->second.records;
  // The log that has record `records` itself, so that chains stay short.
  while (shared && records <= shared->shared)
    shared = shared->parent;
  if (records != 0)
    child.records->parent = std::move(shared);
  child.records->shared = records;
  for (uint64_t seq = 1; seq <= records; ++seq)
    count(child, record_at(*child.records, seq));
  child.created_at = at;
  child.updated_at = at;
  child.parent = std::make_unique<session_key>(from);
  child.parent_records = records;
  sessions_.insert_or_assign(to, std::move(child));
  return true;
}

uint64_t memory_sessions::erase(const session_key& key) {
  auto found = sessions_.find(key);
  if (found == sessions_.end())
    return 0;
  auto records = std::move(found->second.records);
  sessions_.erase(found);
  // Forks keep the log, but not what they do not share.
  if (records.use_count() > 1)
    records->own.resize(most_shared(*records) - records->shared);
  return 1;
}

uint64_t memory_sessions::most_shared(const log& x) const {
  auto result = x.shared;
  for (const auto& [key, other] : sessions_)
    for (const auto* at = other.records.get(); at; at = at->parent.get())
      if (at->parent.get() == &x)
        result = std::max(result, at->shared);
  return result;
}

} // namespace troupe
