#include "troupe/storage/session_store.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace troupe {

namespace {

struct hash_key {
  size_t operator()(const session_key& x) const {
    auto hash = std::hash<std::string>{};
    return (hash(x.session_id) * 31 + hash(x.agent)) * 31 + hash(x.actor_id);
  }
};

/// Newest first; what is as new goes by its key.
bool is_listed_before(const session_summary& x, const session_summary& y) {
  if (x.updated_at != y.updated_at)
    return x.updated_at > y.updated_at;
  return std::tie(x.key.session_id, x.key.agent, x.key.actor_id)
         < std::tie(y.key.session_id, y.key.agent, y.key.actor_id);
}

struct stored_session {
  std::vector<session_record> records;
  uint64_t messages = 0;
};

class memory_session_store : public session_store {
public:
  bool is_on_disk() const noexcept override {
    return false;
  }

  caf::error append(std::vector<session_append>& batch) override {
    if (auto why = check_append(batch))
      return why;
    for (auto& entry : batch)
      append_one(entry);
    return {};
  }

  caf::expected<std::vector<session_record>>
  load(const session_key& key, uint64_t after, size_t max) override {
    auto result = std::vector<session_record>{};
    auto found = sessions_.find(key);
    if (found == sessions_.end())
      return result;
    const auto& records = found->second.records;
    auto first = std::min<uint64_t>(after, records.size());
    auto count = std::min<uint64_t>(max, records.size() - first);
    auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
    result.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    return result;
  }

  caf::expected<std::vector<session_summary>>
  list(const std::string& session_id) override {
    auto result = std::vector<session_summary>{};
    for (const auto& [key, session] : sessions_)
      if (session_id.empty() || key.session_id == session_id)
        result.push_back({key, session.messages, session.records.front().at,
                          session.records.back().at});
    std::sort(result.begin(), result.end(), is_listed_before);
    return result;
  }

  caf::expected<uint64_t> erase(const session_key& key) override {
    return uint64_t{sessions_.erase(key)};
  }

private:
  void append_one(session_append& entry) {
    if (entry.records.empty())
      return;
    auto& session = sessions_[entry.key];
    // All of a short run at once: a session seldom has fewer messages.
    if (session.records.empty())
      session.records.reserve(4);
    for (auto& record : entry.records) {
      record.seq = session.records.size() + 1;
      session.messages += record.kind == record_kind::message ? 1 : 0;
      session.records.push_back(record);
    }
  }

  std::unordered_map<session_key, stored_session, hash_key> sessions_;
};

} // namespace

std::unique_ptr<session_store> make_memory_session_store() {
  return std::make_unique<memory_session_store>();
}

} // namespace troupe
