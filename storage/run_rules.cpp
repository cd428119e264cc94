#include "troupe/storage/run_rules.hpp"

namespace troupe {

namespace {

// Nobody has a run that does not run. Its epoch stays, so that the next owner's
// is larger than all before.
void settle_lease(run_head& head) {
  if (head.status == run_status::running)
    return;
  head.lease.owner.clear();
  head.lease.until = 0;
}

run_head begun(const store_commit& commit) {
  auto result = *commit.begin;
  result.run_id = commit.run_id;
  result.updated_at = result.created_at;
  result.events = 0;
  result.recoveries = 0;
  result.cancel_requested = false;
  result.lease.epoch = 0;
  return result;
}

} // namespace

void apply_commit(run_head& head, const store_commit& commit) {
  if (!commit.events.empty()) {
    head.events = commit.events.back().seq;
    head.updated_at = commit.events.back().at;
  }
  if (commit.change) {
    head.status = commit.change->status;
    head.updated_at = commit.change->at;
    head.due_at = commit.change->due_at;
    if (!commit.change->details.empty())
      head.details = commit.change->details;
  }
  if (head.status != run_status::queued)
    head.due_at = 0;
  if (commit.begin && head.status == run_status::running)
    head.lease.epoch = 1;
  settle_lease(head);
}

run_head head_after(const run_head* found, const store_commit& commit) {
  auto result = commit.begin ? begun(commit) : *found;
  apply_commit(result, commit);
  return result;
}

commit_refusal refusal_of(const run_head* found, const store_commit& commit) {
  if (commit.begin && found != nullptr)
    return commit_refusal::exists;
  if (!commit.begin && (found == nullptr || !is_held(*found, commit.epoch)))
    return commit_refusal::stale;
  auto last = found == nullptr ? uint64_t{0} : found->events;
  for (const auto& event : commit.events)
    if (event.seq != ++last)
      return commit_refusal::out_of_order;
  return commit_refusal::none;
}

bool can_be_acquired(const run_head& head, int64_t now) {
  if (head.status == run_status::running)
    return head.lease.until <= now;
  return !is_over(head.status);
}

void acquire_run(run_head& head, const std::string& owner, int64_t now,
                 int64_t until) {
  if (head.status != run_status::queued && head.lease.epoch != 0)
    ++head.recoveries;
  head.status = run_status::running;
  head.updated_at = now;
  head.due_at = 0;
  head.lease = {owner, head.lease.epoch + 1, until};
}

bool is_abandoned(const run_head& head, int64_t now,
                  const std::function<bool(const std::string&)>& is_gone) {
  return head.status == run_status::running
         && (head.lease.until <= now || (is_gone && is_gone(head.lease.owner)));
}

void interrupt_run(run_head& head, int64_t now) {
  head.status = run_status::interrupted;
  head.updated_at = now;
  ++head.lease.epoch;
  settle_lease(head);
}

bool is_held(const run_head& head, uint64_t epoch) {
  return head.status == run_status::running && head.lease.epoch == epoch;
}

int64_t due_since(const run_head& head) {
  // Nothing changes a queued run but what takes it from the queue.
  return head.due_at != 0 ? head.due_at : head.updated_at;
}

bool is_wanted(const run_head& head, const run_filter& filter) {
  return (!filter.status || *filter.status == head.status)
         && (filter.kind.empty() || filter.kind == head.kind)
         && (filter.name.empty() || filter.name == head.name)
         && (!filter.queue || *filter.queue == head.queue)
         && (filter.since == 0 || head.created_at >= filter.since)
         && (filter.until == 0 || head.created_at < filter.until)
         && (filter.before.empty() || head.run_id < filter.before);
}

} // namespace troupe
