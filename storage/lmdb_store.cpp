#include "troupe/storage/blob_table.hpp"
#include "troupe/storage/lmdb_env.hpp"
#include "troupe/storage/record_codec.hpp"
#include "troupe/storage/run_log.hpp"
#include "troupe/storage/run_rules.hpp"
#include "troupe/storage/run_schedule.hpp"
#include "troupe/storage/session_log.hpp"
#include "troupe/storage/storage_schema.hpp"
#include "troupe/storage/store.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace troupe {

namespace {

using is_gone_fun = std::function<bool(const std::string&)>;

// One transaction a call.
class lmdb_store : public store {
public:
  explicit lmdb_store(std::unique_ptr<lmdb_env> env) : env_(std::move(env)) {
    // nop
  }

  bool is_on_disk() const noexcept override {
    return true;
  }

  caf::error commit(std::vector<store_commit>& batch) override {
    if (auto why = check_commit(batch))
      return why;
    auto work = [&batch](lmdb_txn& txn) -> caf::error {
      auto log = run_log{txn};
      for (auto& entry : batch)
        if (auto why = log.commit(entry))
          return why;
      return {};
    };
    auto is_last = std::all_of(batch.begin(), batch.end(),
                               [](const auto& x) { return x.is_last_word; });
    return is_last ? env_->write_to_make_room(work) : env_->write(work);
  }

  // -- conversations ----------------------------------------------------------

  caf::expected<std::vector<session_record>>
  load(const session_key& key, uint64_t after, size_t max) override {
    return read(
      [&](lmdb_txn& txn) { return session_log{txn}.load(key, after, max); });
  }

  caf::expected<std::shared_ptr<const std::string>>
  load_blob(const stored_blob& blob) override {
    auto reference = reference_of(blob);
    if (!reference)
      return reference.error();
    return read(
      [&](lmdb_txn& txn) { return blob_table{txn}.find(*reference); });
  }

  caf::expected<std::optional<session_summary>>
  find_session(const session_key& key) override {
    return read([&](lmdb_txn& txn) { return session_log{txn}.find(key); });
  }

  caf::expected<std::vector<session_summary>>
  list(const std::string& session_id) override {
    return read(
      [&](lmdb_txn& txn) { return session_log{txn}.list(session_id); });
  }

  caf::expected<bool> fork(const session_key& from, uint64_t records,
                           const session_key& to, int64_t at) override {
    if (auto why = check_key(to))
      return why;
    return write([&](lmdb_txn& txn) {
      return session_log{txn}.fork(from, records, to, at);
    });
  }

  // One transaction also for the largest session: in two, a crash between them
  // would leave a conversation whose beginning is missing.
  caf::expected<uint64_t> erase(const session_key& key) override {
    return make_room(
      [&](lmdb_txn& txn) { return session_log{txn}.erase(key); });
  }

  // -- runs -------------------------------------------------------------------

  caf::expected<std::optional<run_head>>
  find_run(const std::string& run_id) override {
    return read([&](lmdb_txn& txn) { return run_log{txn}.find(run_id); });
  }

  caf::expected<std::vector<run_head>>
  list_runs(const run_filter& filter, size_t max,
            const std::function<bool(const run_head&)>& matches) override {
    return read(
      [&](lmdb_txn& txn) { return run_log{txn}.list(filter, max, matches); });
  }

  caf::expected<std::vector<event_record>>
  load_events(const std::string& run_id, uint64_t after, size_t max) override {
    return read([&](lmdb_txn& txn) {
      return run_log{txn}.load_events(run_id, after, max);
    });
  }

  caf::expected<std::vector<run_value>>
  load_values(const std::string& run_id, const std::string& prefix) override {
    return read(
      [&](lmdb_txn& txn) { return run_log{txn}.load_values(run_id, prefix); });
  }

  caf::expected<std::vector<artifact_record>>
  list_artifacts(const std::string& run_id) override {
    return read(
      [&](lmdb_txn& txn) { return run_log{txn}.list_artifacts(run_id); });
  }

  caf::expected<std::optional<artifact_record>>
  load_artifact(const std::string& run_id, const std::string& name) override {
    return read(
      [&](lmdb_txn& txn) { return run_log{txn}.load_artifact(run_id, name); });
  }

  caf::expected<bool> erase_run(const std::string& run_id) override {
    return make_room([&](lmdb_txn& txn) { return run_log{txn}.erase(run_id); });
  }

  // -- leases and the schedule ------------------------------------------------

  caf::expected<std::optional<run_head>>
  acquire(const std::string& run_id, const std::string& owner, int64_t now,
          int64_t until) override {
    if (auto why = check_owner(owner))
      return why;
    return write([&](lmdb_txn& txn) {
      return run_schedule{txn}.acquire(run_id, owner, now, until);
    });
  }

  // Who has nothing to do asks often, and must not hold up those who write.
  caf::expected<std::optional<run_head>>
  acquire_due(const std::optional<std::string>& queue, const std::string& owner,
              int64_t now, int64_t until) override {
    if (auto why = check_owner(owner))
      return why;
    auto due = next_due(queue);
    if (!due)
      return std::move(due.error());
    if (!*due || **due > now)
      return std::optional<run_head>{};
    return write([&](lmdb_txn& txn) {
      return run_schedule{txn}.acquire_due(queue, owner, now, until);
    });
  }

  caf::expected<std::optional<int64_t>>
  next_due(const std::optional<std::string>& queue) override {
    return read(
      [&](lmdb_txn& txn) { return run_schedule{txn}.next_due(queue); });
  }

  // These few bytes in place of as many must work in a full store, too.
  caf::error renew(std::vector<lease_claim>& claims, int64_t until) override {
    if (claims.empty())
      return {};
    return env_->write_to_make_room(
      [&](lmdb_txn& txn) { return run_schedule{txn}.renew(claims, until); });
  }

  caf::expected<std::vector<std::string>>
  reconcile(int64_t now, const is_gone_fun& is_gone) override {
    auto found = read([&](lmdb_txn& txn) {
      return run_schedule{txn}.find_abandoned(now, is_gone);
    });
    if (!found || found->empty())
      return found;
    return make_room([&](lmdb_txn& txn) {
      return run_schedule{txn}.interrupt(*found, now, is_gone);
    });
  }

  caf::expected<std::optional<run_head>>
  request_cancel(const std::string& run_id) override {
    return make_room(
      [&](lmdb_txn& txn) { return run_schedule{txn}.request_cancel(run_id); });
  }

  caf::expected<std::vector<std::string>>
  cancel_requests(const std::vector<std::string>& run_ids) override {
    return read([&](lmdb_txn& txn) {
      return run_schedule{txn}.cancel_requests(run_ids);
    });
  }

private:
  // Runs `fun(txn)`, which gives an expected, in a transaction of one of the
  // three kinds.
  template <class Fun>
  using outcome = std::invoke_result_t<Fun, lmdb_txn&>;

  template <class Fun>
  outcome<Fun> run(caf::error (lmdb_env::*how)(const lmdb_work&), Fun fun) {
    auto result = typename outcome<Fun>::value_type{};
    auto why = ((*env_).*how)([&](lmdb_txn& txn) -> caf::error {
      auto x = fun(txn);
      if (!x)
        return std::move(x.error());
      result = std::move(*x);
      return {};
    });
    if (why)
      return why;
    return result;
  }

  template <class Fun>
  outcome<Fun> read(Fun fun) {
    return run(&lmdb_env::read, fun);
  }

  template <class Fun>
  outcome<Fun> write(Fun fun) {
    return run(&lmdb_env::write, fun);
  }

  template <class Fun>
  outcome<Fun> make_room(Fun fun) {
    return run(&lmdb_env::write_to_make_room, fun);
  }

  std::unique_ptr<lmdb_env> env_;
};

} // namespace

caf::expected<std::unique_ptr<store>>
make_lmdb_store(const storage_settings& settings) {
  auto options = lmdb_env_options{};
  options.storage = settings;
  options.on_open = [](lmdb_txn& txn) {
    return open_schema(txn, current_schema());
  };
  auto env = lmdb_env::open(std::move(options));
  if (!env)
    return env.error();
  return std::unique_ptr<store>{std::make_unique<lmdb_store>(std::move(*env))};
}

} // namespace troupe
