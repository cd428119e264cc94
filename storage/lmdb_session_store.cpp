#include "troupe/storage/lmdb_env.hpp"
#include "troupe/storage/session_log.hpp"
#include "troupe/storage/session_store.hpp"
#include "troupe/storage/storage_schema.hpp"

#include <memory>
#include <utility>

namespace troupe {

namespace {

class lmdb_session_store : public session_store {
public:
  explicit lmdb_session_store(std::unique_ptr<lmdb_env> env)
    : env_(std::move(env)) {
    // nop
  }

  bool is_on_disk() const noexcept override {
    return true;
  }

  caf::error append(std::vector<session_append>& batch) override {
    if (auto why = check_append(batch))
      return why;
    return env_->write([&batch](lmdb_txn& txn) -> caf::error {
      auto log = session_log{txn};
      for (auto& entry : batch)
        if (auto why = log.append(entry))
          return why;
      return {};
    });
  }

  caf::expected<std::vector<session_record>>
  load(const session_key& key, uint64_t after, size_t max) override {
    auto result = std::vector<session_record>{};
    auto why = env_->read([&](lmdb_txn& txn) {
      return keep(session_log{txn}.load(key, after, max), result);
    });
    return answer(why, result);
  }

  caf::expected<std::vector<session_summary>>
  list(const std::string& session_id) override {
    auto result = std::vector<session_summary>{};
    auto why = env_->read([&](lmdb_txn& txn) {
      return keep(session_log{txn}.list(session_id), result);
    });
    return answer(why, result);
  }

  // One transaction also for the largest session: in two, a crash between them
  // would leave a conversation whose beginning is missing.
  caf::expected<uint64_t> erase(const session_key& key) override {
    auto result = uint64_t{0};
    auto why = env_->write_to_make_room(
      [&](lmdb_txn& txn) { return keep(session_log{txn}.erase(key), result); });
    return answer(why, result);
  }

private:
  template <class T>
  static caf::error keep(caf::expected<T> outcome, T& result) {
    if (!outcome)
      return outcome.error();
    result = std::move(*outcome);
    return {};
  }

  template <class T>
  static caf::expected<T> answer(caf::error& why, T& result) {
    if (why)
      return std::move(why);
    return std::move(result);
  }

  std::unique_ptr<lmdb_env> env_;
};

} // namespace

caf::expected<std::unique_ptr<session_store>>
make_lmdb_session_store(const storage_settings& settings) {
  auto options = lmdb_env_options{};
  options.storage = settings;
  options.on_open = [](lmdb_txn& txn) {
    return open_schema(txn, current_schema());
  };
  auto env = lmdb_env::open(std::move(options));
  if (!env)
    return env.error();
  return std::unique_ptr<session_store>{
    std::make_unique<lmdb_session_store>(std::move(*env))};
}

} // namespace troupe
