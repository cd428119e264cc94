#include "troupe/actors/run/run_leases.hpp"

#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/run/run_lease_time.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <chrono>
#include <utility>

namespace troupe {

namespace {

/// How soon a wish of another process to cancel a run is heard.
constexpr auto listening_time = std::chrono::milliseconds{250};

constexpr auto lease_key = co::frame_key{0, 2};

void cancel_all(registry_ptr self, const run_id_list& which,
                const char* reason) {
  for (const auto& run_id : which.run_ids) {
    auto found = self->state.runs.find(run_id);
    if (found != self->state.runs.end())
      self->send(found->second.run, cancel_run{reason});
  }
}

co::task<void> hear_cancels(registry_ptr self) {
  auto query = find_cancel_requests{};
  for (const auto& [run_id, entry] : self->state.runs)
    query.run_ids.push_back(run_id);
  auto asked = co::request<run_id_list>(self, self->state.spec.services->store,
                                        caf::infinite, std::move(query));
  auto wanted = co_await co::as_expected(std::move(asked));
  if (wanted) // a store that cannot be read says so to the runs
    cancel_all(self, *wanted, "cancelled by another process");
}

co::task<void> renew(registry_ptr self) {
  auto order = renew_leases{};
  order.lease = lease_time;
  for (const auto& [run_id, entry] : self->state.runs)
    order.runs.push_back({run_id, entry.epoch, {}});
  auto asked = co::request<run_id_list>(self, self->state.spec.services->store,
                                        caf::infinite, std::move(order));
  auto lost = co_await co::as_expected(std::move(asked));
  if (lost)
    cancel_all(self, *lost, "the run was taken over by another process");
}

co::task<void> look_after_leases(registry_ptr self) {
  auto& state = self->state;
  auto renewed = self->clock().now();
  while (!state.runs.empty()) {
    co_await co::sleep_for(self, listening_time);
    if (state.runs.empty())
      break;
    co_await hear_cancels(self);
    if (self->clock().now() - renewed < renewal_time)
      continue;
    renewed = self->clock().now();
    co_await renew(self);
  }
  state.is_keeping_leases = false;
}

co::task<void> release(registry_ptr self, std::string run_id, uint64_t epoch) {
  auto store = self->state.spec.services->store;
  auto asked = co::request<run_list>(self, store, caf::infinite,
                                     find_run{run_id});
  auto found = co_await co::as_expected(std::move(asked));
  if (!found || found->runs.empty())
    co_return;
  auto& head = found->runs.front();
  if (head.status != run_status::running || head.lease.epoch != epoch)
    co_return;
  auto commit = commit_run{};
  commit.run = shared<run_key>{run_key{run_id, epoch, head.session}};
  commit.change.push_back(
    {run_status::interrupted, now_micros(), 0, std::move(head.details)});
  self->send(store, std::move(commit));
}

} // namespace

void keep_leases(registry_ptr self) {
  auto& state = self->state;
  if (state.spec.services->settings.storage.in_memory
      || std::exchange(state.is_keeping_leases, true))
    return;
  state.running.spawn(self, lease_key, look_after_leases(self));
}

void mark_interrupted(registry_ptr self, const std::string& run_id,
                      uint64_t epoch) {
  self->state.running.spawn(self, {}, release(self, run_id, epoch));
}

} // namespace troupe
