#include "troupe/storage/run_schedule.hpp"

#include "troupe/storage/codec_bytes.hpp"
#include "troupe/storage/run_rules.hpp"

#include <utility>

namespace troupe {

run_schedule::run_schedule(lmdb_txn& txn) : runs_(txn) {
  // nop
}

caf::expected<std::optional<run_head>>
run_schedule::acquire(const std::string& run_id, const std::string& owner,
                      int64_t now, int64_t until) {
  auto before = runs_.find(run_id);
  if (!before)
    return before.error();
  if (!*before || !can_be_acquired((*before)->head, now))
    return std::optional<run_head>{};
  auto run = **before;
  acquire_run(run.head, owner, now, until);
  if (auto why = runs_.put(*before, run))
    return why;
  if (auto why = runs_.load_details(run))
    return why;
  return std::optional{std::move(run.head)};
}

caf::expected<std::optional<run_head>>
run_schedule::acquire_due(const std::optional<std::string>& queue,
                          const std::string& owner, int64_t now,
                          int64_t until) {
  auto first = runs_.first_due(queue);
  if (!first)
    return first.error();
  if (!*first || (*first)->due > now)
    return std::optional<run_head>{};
  auto run = runs_.get((*first)->run_id);
  if (!run)
    return run.error();
  // Or a damaged list has the same run taken again and again.
  if (run->head.status != run_status::queued
      || due_since(run->head) != (*first)->due)
    return damaged("the list of queued runs");
  return acquire((*first)->run_id, owner, now, until);
}

caf::expected<std::optional<int64_t>>
run_schedule::next_due(const std::optional<std::string>& queue) {
  auto first = runs_.first_due(queue);
  if (!first)
    return first.error();
  return *first ? std::optional{(*first)->due} : std::nullopt;
}

caf::error run_schedule::renew(std::vector<store::lease_claim>& claims,
                               int64_t until) {
  for (auto& claim : claims) {
    auto before = runs_.find(claim.run_id);
    if (!before)
      return before.error();
    if (!*before || !is_held((*before)->head, claim.epoch)) {
      claim.epoch = 0;
      continue;
    }
    auto run = **before;
    run.head.lease.until = until;
    if (auto why = runs_.put(*before, run))
      return why;
  }
  return {};
}

caf::expected<std::vector<std::string>> run_schedule::find_abandoned(
  int64_t now, const std::function<bool(const std::string&)>& is_gone) {
  auto result = std::vector<std::string>{};
  auto collect = [&](const stored_run& run) -> caf::expected<bool> {
    if (is_abandoned(run.head, now, is_gone))
      result.push_back(run.head.run_id);
    return true;
  };
  if (auto why = runs_.scan(run_status::running, {}, collect))
    return why;
  return result;
}

caf::expected<std::vector<std::string>> run_schedule::interrupt(
  const std::vector<std::string>& run_ids, int64_t now,
  const std::function<bool(const std::string&)>& is_gone) {
  auto result = std::vector<std::string>{};
  for (const auto& run_id : run_ids) {
    auto before = runs_.find(run_id);
    if (!before)
      return before.error();
    if (!*before || !is_abandoned((*before)->head, now, is_gone))
      continue;
    auto run = **before;
    interrupt_run(run.head, now);
    if (auto why = runs_.put(*before, run))
      return why;
    result.push_back(run_id);
  }
  return result;
}

caf::expected<std::optional<run_head>>
run_schedule::request_cancel(const std::string& run_id) {
  auto before = runs_.find(run_id);
  if (!before)
    return before.error();
  if (!*before || is_over((*before)->head.status))
    return std::optional<run_head>{};
  auto run = **before;
  run.head.cancel_requested = true;
  if (auto why = runs_.put(*before, run))
    return why;
  if (auto why = runs_.load_details(run))
    return why;
  return std::optional{std::move(run.head)};
}

caf::expected<std::vector<std::string>>
run_schedule::cancel_requests(const std::vector<std::string>& run_ids) {
  auto result = std::vector<std::string>{};
  for (const auto& run_id : run_ids) {
    auto run = runs_.find(run_id);
    if (!run)
      return run.error();
    if (*run && (*run)->head.cancel_requested && !is_over((*run)->head.status))
      result.push_back(run_id);
  }
  return result;
}

} // namespace troupe
