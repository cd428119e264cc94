#include "troupe/storage/run_table.hpp"

#include "troupe/storage/codec_bytes.hpp"
#include "troupe/storage/run_rules.hpp"

#include <utility>

namespace troupe {

namespace {

// On disk: the entry of `meta` with the number of the run begun last.
constexpr auto last_run_key = std::string_view{"last_run"};

bool is_id(const std::string& run_id) {
  return !run_id.empty() && run_id.size() <= longest_run_id;
}

bool stands_alike(const run_head& x, const run_head& y) {
  return x.status == y.status
         && (x.status != run_status::queued || due_since(x) == due_since(y));
}

} // namespace

run_table::run_table(lmdb_txn& txn)
  : txn_(&txn),
    heads_(txn),
    statuses_(txn),
    due_(txn),
    counters_(txn),
    details_(txn) {
  // nop
}

// -- heads --------------------------------------------------------------------

caf::expected<std::optional<stored_run>>
run_table::find(const std::string& run_id) {
  if (!is_id(run_id))
    return std::optional<stored_run>{};
  auto result = heads_.get(run_id);
  if (result && *result)
    (*result)->head.run_id = run_id;
  return result;
}

caf::expected<stored_run> run_table::get(const std::string& run_id) {
  auto result = find(run_id);
  if (!result)
    return result.error();
  if (!*result)
    return damaged("the list of runs");
  return std::move(**result);
}

caf::error run_table::load_details(stored_run& run) {
  auto found = details_.load(number_key(run.number).view());
  if (!found)
    return found.error();
  if (!*found)
    return damaged("a run");
  run.head.details = std::move((*found)->body);
  return {};
}

caf::expected<uint64_t> run_table::take_number() {
  auto last = counters_.get(last_run_key);
  if (!last)
    return last.error();
  auto result = last->value_or(0) + 1;
  if (auto why = counters_.put(last_run_key, result))
    return why;
  return result;
}

caf::error run_table::put(const std::optional<stored_run>& before,
                          const stored_run& run) {
  if (before && stands_alike(before->head, run.head))
    return heads_.put(run.head.run_id, run);
  if (before)
    if (auto why = unmark(*before))
      return why;
  if (auto why = mark(run))
    return why;
  return heads_.put(run.head.run_id, run);
}

caf::error run_table::put_details(const stored_run& run) {
  return details_.put(number_key(run.number).view(), run.head.updated_at,
                      run.head.details);
}

caf::error run_table::erase(const stored_run& run) {
  if (auto why = unmark(run))
    return why;
  if (auto gone = details_.erase(number_key(run.number).view()); !gone)
    return gone.error();
  auto gone = heads_.erase(run.head.run_id);
  return gone ? caf::error{} : gone.error();
}

// -- where they stand ---------------------------------------------------------

caf::error run_table::mark(const stored_run& run) {
  const auto& head = run.head;
  if (auto why = statuses_.put(run_status_key(head.status, head.run_id).view(),
                               {}))
    return why;
  if (head.status != run_status::queued)
    return {};
  if (auto why = due_.put(run_due_key(due_since(head), head.run_id).view(), {}))
    return why;
  auto key = run_due_key(head.queue, due_since(head), head.run_id);
  return key ? due_.put(key->view(), {}) : key.error();
}

caf::error run_table::unmark(const stored_run& run) {
  const auto& head = run.head;
  auto gone = statuses_.erase(run_status_key(head.status, head.run_id).view());
  if (gone && head.status == run_status::queued) {
    auto key = run_due_key(head.queue, due_since(head), head.run_id);
    if (!key)
      return key.error();
    gone = due_.erase(run_due_key(due_since(head), head.run_id).view());
    if (gone && *gone)
      gone = due_.erase(key->view());
  }
  if (!gone)
    return gone.error();
  return *gone ? caf::error{} : damaged("the list of runs");
}

caf::error
run_table::scan(std::optional<run_status> status, const std::string& before,
                const std::function<caf::expected<bool>(stored_run)>& visit) {
  for (auto at = before;;) {
    auto id = last_id(status, at);
    if (!id)
      return id.error();
    if (!*id)
      return {};
    at = std::move(**id);
    auto run = get(at);
    if (!run)
      return run.error();
    if (status && run->head.status != *status)
      return damaged("the list of runs");
    auto more = visit(std::move(*run));
    if (!more)
      return more.error();
    if (!*more)
      return {};
  }
}

caf::expected<std::optional<std::string>>
run_table::last_id(std::optional<run_status> status,
                   const std::string& before) {
  auto prefix = status ? run_status_key(*status, {}) : key_bytes{};
  auto end = prefix;
  end.append(std::string_view{before}.substr(0, longest_run_id + 1));
  // The first key after those of the status.
  auto next = status
                ? run_status_key(
                    static_cast<run_status>(static_cast<char>(*status) + 1), {})
                : key_bytes{};
  auto found = txn_->find_before(status ? table_id::run_status : table_id::runs,
                                 before.empty() ? next.view() : end.view());
  if (!found)
    return found.error();
  auto size = prefix.view().size();
  if (!*found || (*found)->key.substr(0, size) != prefix.view())
    return std::optional<std::string>{};
  return std::optional{std::string{(*found)->key.substr(size)}};
}

caf::expected<std::optional<due_run>>
run_table::first_due(const std::optional<std::string>& queue) {
  auto prefix = caf::expected<key_bytes>{run_due_prefix()};
  if (queue)
    prefix = run_due_prefix(*queue);
  if (!prefix)
    return prefix.error();
  auto found = txn_->find_from(table_id::run_due, prefix->view());
  if (!found)
    return found.error();
  auto size = prefix->view().size();
  if (!*found || (*found)->key.substr(0, size) != prefix->view())
    return std::optional<due_run>{};
  auto result = read_due_run((*found)->key.substr(size));
  if (!result)
    return damaged("the list of runs");
  return result;
}

} // namespace troupe
