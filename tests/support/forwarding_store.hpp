#pragma once

#include "troupe/storage/store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

/// A store that hands every call to another: one of a test's own overrides what
/// it is about.
class forwarding_store : public store {
public:
  explicit forwarding_store(std::shared_ptr<store> target)
    : target_(std::move(target)) {
    // nop
  }

  bool is_on_disk() const noexcept override {
    return target_->is_on_disk();
  }

  caf::error commit(std::vector<store_commit>& batch) override {
    return target_->commit(batch);
  }

  caf::expected<std::vector<session_record>>
  load(const session_key& key, uint64_t after, size_t max) override {
    return target_->load(key, after, max);
  }

  caf::expected<std::shared_ptr<const std::string>>
  load_blob(const stored_blob& blob) override {
    return target_->load_blob(blob);
  }

  caf::expected<std::optional<session_summary>>
  find_session(const session_key& key) override {
    return target_->find_session(key);
  }

  caf::expected<std::vector<session_summary>>
  list(const std::string& session_id) override {
    return target_->list(session_id);
  }

  caf::expected<bool> fork(const session_key& from, uint64_t records,
                           const session_key& to, int64_t at) override {
    return target_->fork(from, records, to, at);
  }

  caf::expected<uint64_t> erase(const session_key& key) override {
    return target_->erase(key);
  }

  caf::expected<std::optional<run_head>>
  find_run(const std::string& run_id) override {
    return target_->find_run(run_id);
  }

  caf::expected<std::vector<run_head>>
  list_runs(const run_filter& filter, size_t max,
            const std::function<bool(const run_head&)>& matches) override {
    return target_->list_runs(filter, max, matches);
  }

  caf::expected<std::vector<event_record>>
  load_events(const std::string& run_id, uint64_t after, size_t max) override {
    return target_->load_events(run_id, after, max);
  }

  caf::expected<std::vector<run_value>>
  load_values(const std::string& run_id, const std::string& prefix) override {
    return target_->load_values(run_id, prefix);
  }

  caf::expected<std::vector<artifact_record>>
  list_artifacts(const std::string& run_id) override {
    return target_->list_artifacts(run_id);
  }

  caf::expected<std::optional<artifact_record>>
  load_artifact(const std::string& run_id, const std::string& name) override {
    return target_->load_artifact(run_id, name);
  }

  caf::expected<bool> erase_run(const std::string& run_id) override {
    return target_->erase_run(run_id);
  }

  caf::expected<std::optional<run_head>>
  acquire(const std::string& run_id, const std::string& owner, int64_t now,
          int64_t until) override {
    return target_->acquire(run_id, owner, now, until);
  }

  caf::expected<std::optional<run_head>>
  acquire_due(const std::optional<std::string>& queue, const std::string& owner,
              int64_t now, int64_t until) override {
    return target_->acquire_due(queue, owner, now, until);
  }

  caf::expected<std::optional<int64_t>>
  next_due(const std::optional<std::string>& queue) override {
    return target_->next_due(queue);
  }

  caf::error renew(std::vector<lease_claim>& claims, int64_t until) override {
    return target_->renew(claims, until);
  }

  caf::expected<std::vector<std::string>>
  reconcile(int64_t now,
            const std::function<bool(const std::string&)>& is_gone) override {
    return target_->reconcile(now, is_gone);
  }

  caf::expected<std::optional<run_head>>
  request_cancel(const std::string& run_id) override {
    return target_->request_cancel(run_id);
  }

  caf::expected<std::vector<std::string>>
  cancel_requests(const std::vector<std::string>& run_ids) override {
    return target_->cancel_requests(run_ids);
  }

protected:
  store& target() noexcept {
    return *target_;
  }

private:
  std::shared_ptr<store> target_;
};

} // namespace troupe::test
