#include "troupe/actors/session/session_owner.hpp"

#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/run_lease_time.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <chrono>
#include <utility>

namespace troupe {

namespace {

/// How often a run of another process is looked at.
constexpr auto glance = std::chrono::milliseconds{100};

co::failure waits_for_person(const run_head& run) {
  return co::failure{make_error(errc::configuration,
                                "the conversation waits for run " + run.run_id
                                  + ", which is " + to_string(run.status),
                                "session " + run.session.session_id,
                                "troupe runs resume " + run.run_id
                                  + ", or troupe runs cancel " + run.run_id)};
}

/// Ends a run that lost its process, and lost its conversation to another run.
co::task<void> abandon(session_ptr self, std::string run_id) {
  auto store = self->state.spec.store;
  auto order = acquire_run{};
  order.run_id = run_id;
  order.owner = "session";
  order.lease = lease_time;
  auto asked = co::request<run_list>(self, store, caf::infinite,
                                     std::move(order));
  auto taken = co_await asked;
  if (taken.runs.empty())
    co_return; // somebody was faster
  const auto& head = taken.runs.front();
  auto details = decode_details(head);
  if (!details)
    throw co::failure{std::move(details.error())};
  auto why = fault{};
  why.kind = errc::internal;
  why.message = "its process ended, and its conversation went on without it";
  details->object.has_error = true;
  details->object.error = why;
  details->object.ended_at = now_micros();
  auto event = run_event{};
  event.type = event_type::run_error;
  event.seq = head.events + 1;
  event.at = now_micros();
  event.why = shared<fault>{std::move(why)};
  auto commit = commit_run{};
  commit.run
    = shared<run_key>{run_key{head.run_id, head.lease.epoch, head.session}};
  commit.events.push_back(std::move(event));
  commit.change.push_back({run_status::failed, now_micros(), 0,
                           encode_details(details->request, details->object)});
  self->send(store, std::move(commit));
}

co::task<run_list> find(session_ptr self, std::string run_id) {
  auto asked = co::request<run_list>(self, self->state.spec.store,
                                     caf::infinite,
                                     find_run{std::move(run_id)});
  auto found = co_await asked;
  co_return found;
}

} // namespace

co::task<void> await_release(session_ptr self, std::string run_id) {
  auto reconcile = co::request<run_id_list>(self, self->state.spec.store,
                                            caf::infinite, reconcile_runs{});
  co_await reconcile;
  auto found = co_await find(self, run_id);
  if (found.runs.empty())
    co_return;
  const auto& run = found.runs.front();
  switch (run.status) {
    case run_status::suspended:
    case run_status::queued:
    case run_status::pending:
      throw waits_for_person(run);
    case run_status::interrupted:
      co_await abandon(self, run_id);
      co_return;
    case run_status::running:
      co_await co::sleep_for(self, glance);
      co_return;
    default:
      co_return;
  }
}

} // namespace troupe
