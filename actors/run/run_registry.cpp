#include "troupe/actors/run/run_registry.hpp"

#include "troupe/actors/run/run_leases.hpp"
#include "troupe/actors/run/run_resumption.hpp"
#include "troupe/actors/workflow/helper_host.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe {

namespace {

constexpr auto timer_key = co::frame_key{0, 1};

void check_object(const std::string& text, const char* what) {
  if (text.empty())
    return;
  auto value = parse_object(text);
  if (!value)
    throw co::failure{errc::configuration, std::string{what}
                                             + " is no JSON object: "
                                             + to_fault(value.error()).message};
}

} // namespace

void check_request(const run_request& request) {
  check_object(request.context_json, "the context");
  check_object(request.settings_json, "the model settings");
  if (auto why = check_blocks(request.attachments))
    throw co::failure{std::move(why)};
  if (request.deadline.count() < 0)
    throw co::failure{errc::configuration, "a deadline is not negative"};
}

namespace {

bool has_room(const run_registry_state& state) {
  return state.runs.size()
         < state.spec.services->settings.concurrency.max_in_flight;
}

int64_t deadline_of(const run_registry_state& state, const run_definition& what,
                    const run_spec& spec) {
  auto limit = spec.request.deadline;
  if (limit.count() == 0)
    limit
      = what.deadline().value_or(state.spec.services->settings.limits.deadline);
  using std::chrono::duration_cast;
  return now_micros() + duration_cast<std::chrono::microseconds>(limit).count();
}

/// Tells the runs whose time is up.
void expire_due(registry_ptr self) {
  auto& state = self->state;
  auto due = state.deadlines.upper_bound(now_micros());
  for (auto i = state.deadlines.begin(); i != due; ++i) {
    auto& entry = state.runs.at(i->second);
    self->send(entry.run, expire_run{});
    entry.deadline = state.deadlines.end();
  }
  state.deadlines.erase(state.deadlines.begin(), due);
}

/// Sleeps until the earliest deadline and on to the next. Most runs end long
/// before theirs, so the timer is not moved when one does.
co::task<void> keep_deadlines(registry_ptr self) {
  auto& state = self->state;
  while (!state.deadlines.empty()) {
    state.wakes_at = state.deadlines.begin()->first;
    auto left = std::chrono::microseconds{state.wakes_at - now_micros()};
    co_await co::sleep_for(self, left);
    expire_due(self);
  }
  state.wakes_at = 0;
}

void watch_deadlines(registry_ptr self) {
  auto& state = self->state;
  auto earliest = state.deadlines.begin()->first;
  if (state.wakes_at != 0 && state.wakes_at <= earliest)
    return;
  state.running.cancel(timer_key);
  state.running.spawn(self, timer_key, keep_deadlines(self));
}

/// A cassette has no room for a second one who speaks.
void check_recording(const run_registry_state& state,
                     const run_definition& what) {
  auto is_one = what.workflow ? what.workflow->members.empty()
                              : what.agent->helpers == nullptr;
  if (state.spec.services->is_recording && !is_one)
    throw co::failure{make_error(
      errc::configuration,
      "only an agent that works alone can be recorded: a cassette holds one "
      "conversation, and \""
        + what.name() + "\" has several",
      {}, "record its agents one by one")};
}

co::task<run_handle> start(registry_ptr self, start_run order) {
  auto& state = self->state;
  auto spec = run_spec{};
  auto what = order.definition.get()
                ? *order.definition.get()
                : find_definition(*state.spec.catalog, order.request);
  check_request(order.request);
  check_recording(state, what);
  spec.services = state.spec.services;
  spec.registry = self;
  spec.request = std::move(order.request);
  spec.resources = order.resources.get();
  spec.created_at = now_micros();
  spec.run_id = state.ids.next(spec.created_at);
  if (spec.request.session_id.empty()) {
    spec.request.session_id = state.ids.next(spec.created_at);
    spec.has_fresh_session = true;
  }
  co_await await_room(self);
  co_return spawn_run(self, std::move(what), std::move(spec));
}

void forget(registry_ptr self, const std::string& run_id) {
  auto& state = self->state;
  auto found = state.runs.find(run_id);
  if (found == state.runs.end())
    return;
  if (found->second.deadline != state.deadlines.end())
    state.deadlines.erase(found->second.deadline);
  self->demonitor(found->second.run.address());
  state.runs.erase(found);
  state.has_room.set();
  if (state.runs.empty())
    state.is_empty.set();
}

void forget_dead(registry_ptr self, const caf::actor_addr& who) {
  for (auto& [run_id, entry] : self->state.runs)
    if (entry.run.address() == who) {
      auto id = run_id;
      mark_interrupted(self, id, entry.epoch);
      forget(self, id);
      return;
    }
}

/// Cancels all runs and waits for their ends.
co::task<done> close(registry_ptr self, end_work) {
  auto& state = self->state;
  state.is_closing = true;
  state.has_room.set(); // whoever waits to start is told
  for (auto& [run_id, entry] : state.runs)
    self->send(entry.run, cancel_run{"the runtime is closing"});
  state.is_empty.reset();
  if (!state.runs.empty())
    co_await state.is_empty.wait(self);
  self->quit();
  co_return done{};
}

} // namespace

co::task<void> await_room(registry_ptr self) {
  auto& state = self->state;
  while (!has_room(state) && !state.is_closing) {
    state.has_room.reset();
    co_await state.has_room.wait(self);
  }
  if (state.is_closing)
    throw co::failure{errc::cancelled, "the runtime is closing"};
}

run_handle spawn_run(registry_ptr self, run_definition what, run_spec spec) {
  auto& state = self->state;
  auto deadline = deadline_of(state, what, spec);
  auto epoch = spec.epoch;
  spec.deadline = deadline;
  spec.sink = spec.services->store;
  auto result = run_handle{spec.run_id, spec.request.session_id, {}};
  if (what.agent && what.agent->helpers)
    what.workflow = host_definition(std::move(what.agent));
  if (what.workflow)
    result.run = self->spawn<caf::monitored>(
      workflow_behavior, workflow_spec{std::move(spec),
                                       std::move(what.workflow),
                                       state.spec.catalog,
                                       {},
                                       {},
                                       {}});
  else
    result.run = self->spawn<caf::monitored>(
      agent_behavior,
      agent_spec{std::move(spec), std::move(what.agent), {}, {}, {}});
  auto place = state.deadlines.emplace(deadline, result.run_id);
  state.runs.emplace(result.run_id,
                     run_registry_state::entry{result.run, epoch, place});
  watch_deadlines(self);
  keep_leases(self);
  return result;
}

run_registry_actor::behavior_type
run_registry_behavior(registry_ptr self, run_registry_spec spec) {
  self->state.spec = std::move(spec);
  self->set_down_handler(
    [self](caf::down_msg& x) { forget_dead(self, x.source); });
  return {
    co::serve(self, start),
    co::serve(self, put_off),
    co::serve(self, resume),
    co::serve(self, cancel_stored),
    [self](const run_over& x) { forget(self, x.run_id); },
    co::serve(self, close),
    co::serve_cancel(self),
  };
}

} // namespace troupe
