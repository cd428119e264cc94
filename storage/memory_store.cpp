#include "troupe/storage/memory_blobs.hpp"
#include "troupe/storage/memory_runs.hpp"
#include "troupe/storage/memory_sessions.hpp"
#include "troupe/storage/run_rules.hpp"
#include "troupe/storage/store.hpp"

#include <utility>

namespace troupe {

namespace {

class memory_store : public store {
public:
  bool is_on_disk() const noexcept override {
    return false;
  }

  caf::error commit(std::vector<store_commit>& batch) override {
    if (auto why = check_commit(batch))
      return why;
    if (auto why = blobs_.share(batch))
      return why;
    for (auto& entry : batch) {
      entry.refusal = decide(entry);
      if (entry.refusal != commit_refusal::none)
        continue;
      for (auto& session : entry.sessions)
        sessions_.append(session, entry.run_id);
      if (!entry.run_id.empty())
        runs_.commit(entry);
    }
    return {};
  }

  // -- conversations ----------------------------------------------------------

  caf::expected<std::vector<session_record>>
  load(const session_key& key, uint64_t after, size_t max) override {
    auto result = sessions_.load(key, after, max);
    for (auto& record : result)
      drop_bytes(record.blobs);
    return result;
  }

  caf::expected<std::shared_ptr<const std::string>>
  load_blob(const stored_blob& blob) override {
    return blobs_.find(blob);
  }

  caf::expected<std::optional<session_summary>>
  find_session(const session_key& key) override {
    return sessions_.find(key, is_open());
  }

  caf::expected<std::vector<session_summary>>
  list(const std::string& session_id) override {
    return sessions_.list(session_id, is_open());
  }

  caf::expected<bool> fork(const session_key& from, uint64_t records,
                           const session_key& to, int64_t at) override {
    if (auto why = check_key(to))
      return why;
    return sessions_.fork(from, records, to, at, is_open());
  }

  caf::expected<uint64_t> erase(const session_key& key) override {
    return sessions_.erase(key);
  }

  // -- runs -------------------------------------------------------------------

  caf::expected<std::optional<run_head>>
  find_run(const std::string& run_id) override {
    const auto* head = runs_.find(run_id);
    return head == nullptr ? std::nullopt : std::optional{*head};
  }

  caf::expected<std::vector<run_head>>
  list_runs(const run_filter& filter, size_t max,
            const std::function<bool(const run_head&)>& matches) override {
    return runs_.list(filter, max, matches);
  }

  caf::expected<std::vector<event_record>>
  load_events(const std::string& run_id, uint64_t after, size_t max) override {
    return runs_.load_events(run_id, after, max);
  }

  caf::expected<std::vector<run_value>>
  load_values(const std::string& run_id, const std::string& prefix) override {
    auto result = runs_.load_values(run_id, prefix);
    for (auto& value : result)
      drop_bytes(value.blobs);
    return result;
  }

  caf::expected<std::vector<artifact_record>>
  list_artifacts(const std::string& run_id) override {
    return runs_.list_artifacts(run_id);
  }

  caf::expected<std::optional<artifact_record>>
  load_artifact(const std::string& run_id, const std::string& name) override {
    return runs_.load_artifact(run_id, name);
  }

  caf::expected<bool> erase_run(const std::string& run_id) override {
    return runs_.erase(run_id);
  }

  // -- leases and the schedule ------------------------------------------------

  caf::expected<std::optional<run_head>>
  acquire(const std::string& run_id, const std::string& owner, int64_t now,
          int64_t until) override {
    if (auto why = check_owner(owner))
      return why;
    const auto* found = runs_.find(run_id);
    if (found == nullptr || !can_be_acquired(*found, now))
      return std::optional<run_head>{};
    auto head = *found;
    acquire_run(head, owner, now, until);
    runs_.replace(head);
    return std::optional{std::move(head)};
  }

  caf::expected<std::optional<run_head>>
  acquire_due(const std::optional<std::string>& queue, const std::string& owner,
              int64_t now, int64_t until) override {
    auto first = runs_.first_due(queue);
    if (!first || first->first > now) {
      if (auto why = check_owner(owner))
        return why;
      return std::optional<run_head>{};
    }
    return acquire(first->second, owner, now, until);
  }

  caf::expected<std::optional<int64_t>>
  next_due(const std::optional<std::string>& queue) override {
    auto first = runs_.first_due(queue);
    return first ? std::optional{first->first} : std::nullopt;
  }

  caf::error renew(std::vector<lease_claim>& claims, int64_t until) override {
    for (auto& claim : claims) {
      const auto* found = runs_.find(claim.run_id);
      if (found == nullptr || !is_held(*found, claim.epoch)) {
        claim.epoch = 0;
        continue;
      }
      auto head = *found;
      head.lease.until = until;
      runs_.replace(std::move(head));
    }
    return {};
  }

  caf::expected<std::vector<std::string>>
  reconcile(int64_t now,
            const std::function<bool(const std::string&)>& is_gone) override {
    auto result = std::vector<std::string>{};
    const auto& running = runs_.with_status(run_status::running);
    for (auto id = running.rbegin(); id != running.rend(); ++id)
      if (is_abandoned(*runs_.find(*id), now, is_gone))
        result.push_back(*id);
    for (const auto& id : result) {
      auto head = *runs_.find(id);
      interrupt_run(head, now);
      runs_.replace(std::move(head));
    }
    return result;
  }

  caf::expected<std::optional<run_head>>
  request_cancel(const std::string& run_id) override {
    const auto* found = runs_.find(run_id);
    if (found == nullptr || is_over(found->status))
      return std::optional<run_head>{};
    auto head = *found;
    head.cancel_requested = true;
    runs_.replace(head);
    return std::optional{std::move(head)};
  }

  caf::expected<std::vector<std::string>>
  cancel_requests(const std::vector<std::string>& run_ids) override {
    auto result = std::vector<std::string>{};
    for (const auto& id : run_ids) {
      const auto* found = runs_.find(id);
      if (found != nullptr && found->cancel_requested
          && !is_over(found->status))
        result.push_back(id);
    }
    return result;
  }

private:
  commit_refusal decide(const store_commit& entry) const {
    if (!entry.run_id.empty()) {
      auto refusal = refusal_of(runs_.find(entry.run_id), entry);
      if (refusal != commit_refusal::none)
        return refusal;
    }
    for (const auto& session : entry.sessions)
      if (takes_session(session)
          && !sessions_.is_free(session.key, entry.run_id, is_open()))
        return commit_refusal::session_busy;
    return commit_refusal::none;
  }

  memory_sessions::is_open_fun is_open() const {
    return [this](const std::string& run_id) {
      const auto* found = runs_.find(run_id);
      return found != nullptr && !is_over(found->status);
    };
  }

  memory_blobs blobs_;
  memory_sessions sessions_;
  memory_runs runs_;
};

} // namespace

std::unique_ptr<store> make_memory_store() {
  return std::make_unique<memory_store>();
}

} // namespace troupe
