#include "troupe/actors/run/run_resumption.hpp"

#include "troupe/actors/run/lost_step.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/call_decisions.hpp"
#include "troupe/runtime/run/run_attachments.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/run_lease_time.hpp"
#include "troupe/runtime/run/run_recovery.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace troupe {

namespace {

/// How long a cancelled run of another process may take to be gone.
constexpr auto patience = std::chrono::seconds{30};
constexpr auto glance = std::chrono::milliseconds{50};

const store_actor& store_of(registry_ptr self) {
  return self->state.spec.services->store;
}

/// A stored run with everything that is known of it.
struct stored_run {
  run_head head;
  run_details details;
};

stored_run open_head(run_head head) {
  auto details = decode_details(head);
  if (!details)
    throw co::failure{std::move(details.error())};
  return {std::move(head), std::move(*details)};
}

co::task<stored_run> find_stored(registry_ptr self, std::string run_id) {
  auto asked = co::request<run_list>(self, store_of(self), caf::infinite,
                                     find_run{run_id});
  auto found = co_await asked;
  if (found.runs.empty())
    throw co::failure{make_error(errc::configuration,
                                 "there is no run \"" + run_id + "\"", {},
                                 "troupe runs list")};
  co_return open_head(std::move(found.runs.front()));
}

void refuse_finished(const run_head& head) {
  if (is_over(head.status))
    throw co::failure{errc::configuration, "the run " + head.run_id + " is "
                                             + to_string(head.status)};
}

/// Makes this process the owner of a run.
co::task<run_head> acquire(registry_ptr self, std::string run_id) {
  auto order = acquire_run{};
  order.run_id = run_id;
  order.owner = self->state.spec.services->owner;
  order.lease = lease_time;
  auto asked = co::request<run_list>(self, store_of(self), caf::infinite,
                                     std::move(order));
  auto taken = co_await asked;
  if (taken.runs.empty())
    throw co::failure{make_error(
      errc::configuration, "somebody works on the run " + run_id + " already",
      {}, "troupe runs show " + run_id)};
  co_return std::move(taken.runs.front());
}

co::task<std::vector<run_value>> values_of(registry_ptr self,
                                           std::string run_id) {
  auto asked = co::request<run_value_list>(self, store_of(self), caf::infinite,
                                           load_run_values{run_id, {}});
  auto found = co_await asked;
  co_return std::move(found.values);
}

/// What a run was asked about, with its bytes.
co::task<std::vector<content_block>> attachments_of(registry_ptr self,
                                                    std::string run_id) {
  auto query = load_run_values{run_id, attachments_value, true};
  auto asked = co::request<run_value_list>(self, store_of(self), caf::infinite,
                                           std::move(query));
  auto found = co_await asked;
  if (found.values.empty())
    co_return std::vector<content_block>{};
  auto blocks = read_attachments(found.values.front());
  if (!blocks)
    throw co::failure{std::move(blocks.error())};
  co_return std::move(*blocks);
}

/// All events of a run.
co::task<std::vector<run_event>> load_events(registry_ptr self,
                                             std::string run_id) {
  auto events = std::vector<run_event>{};
  auto query = load_run_events{run_id, 0, 1000};
  for (;;) {
    auto asked = co::request<run_event_batch>(self, store_of(self),
                                              caf::infinite, query);
    auto page = co_await asked;
    if (page.events.empty())
      co_return events;
    query.after = page.events.back().seq;
    for (auto& event : page.events)
      events.push_back(std::move(event));
  }
}

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

/// What the values of a run say to its next owner.
caf::error take_value(const run_value& value, earlier_run& out,
                      recovery_count& recovery) {
  if (value.name == input_value) {
    out.has_input = true;
    out.input_record = input_record_in(value.body);
  } else if (value.name == recovery_value) {
    auto count = read_recovery(value);
    if (!count)
      return std::move(count.error());
    recovery = *count;
  } else if (starts_with(value.name, "decision/")) {
    auto decision = read_decision(value);
    if (!decision)
      return std::move(decision.error());
    out.decisions.push_back(std::move(*decision));
  } else if (value.name != attachments_value) {
    out.values.push_back(value);
  }
  return {};
}

fault hopeless(const recovery_count& count) {
  auto result = fault{};
  result.kind = errc::internal;
  result.message
    = "given up after " + std::to_string(count.total) + " recoveries, the last "
      + std::to_string(count.without_progress) + " without progress";
  return result;
}

/// Where a run goes on, and what is new of it.
struct next_leg {
  run_spec spec;
  /// What `spec.earlier` points to.
  std::shared_ptr<earlier_run> earlier;
  commit_run commit;
};

/// Prepares the next leg of a run whose lease is ours by now.
co::task<next_leg> prepare_leg(registry_ptr self, stored_run run,
                               run_status before,
                               std::vector<stored_decision> decisions) {
  auto result = next_leg{};
  const auto& head = run.head;
  auto values = co_await values_of(self, head.run_id);
  auto earlier = std::make_shared<earlier_run>();
  auto recovery = recovery_count{};
  for (const auto& value : values)
    if (auto why = take_value(value, *earlier, recovery))
      throw co::failure{std::move(why)};
  auto now = now_micros();
  for (auto& one : decisions) {
    result.commit.values.push_back(make_decision_value(one, now));
    std::erase_if(earlier->decisions, [&](const stored_decision& x) {
      return x.call_id == one.call_id && x.record == one.record
             && x.session_id == one.session_id;
    });
    earlier->decisions.push_back(std::move(one));
  }
  earlier->object = std::move(run.details.object);
  earlier->events = head.events;
  auto& spec = result.spec;
  if (before == run_status::interrupted || before == run_status::running) {
    auto events = co_await load_events(self, head.run_id);
    earlier->object.usage = usage_of(events);
    recovery = count_recovery(recovery, count_settled(events));
    recover_steps(earlier->object, std::move(events));
    result.commit.values.push_back(make_recovery_value(recovery, now));
    if (is_hopeless(recovery))
      spec.end_at_once
        = run_outcome{run_status::failed, hopeless(recovery), {}};
    ++recovery.without_progress; // as soon as it gets to work
    earlier->recovery = recovery;
  }
  spec.services = self->state.spec.services;
  spec.registry = self;
  spec.request = std::move(run.details.request);
  auto has_attachments = std::any_of(values.begin(), values.end(),
                                     [](const run_value& x) {
                                       return x.name == attachments_value;
                                     });
  // An agent's are in its conversation, once its input is there.
  if (has_attachments && (head.kind != "agent" || !earlier->has_input)) {
    auto blocks = co_await attachments_of(self, head.run_id);
    spec.request.attachments = std::move(blocks);
  }
  spec.run_id = head.run_id;
  spec.epoch = head.lease.epoch;
  spec.created_at = head.created_at;
  spec.earlier = earlier;
  result.earlier = std::move(earlier);
  result.commit.run
    = shared<run_key>{run_key{head.run_id, head.lease.epoch, head.session}};
  co_return result;
}

co::task<void> store_now(registry_ptr self, commit_run commit) {
  auto run = commit.run;
  self->send(store_of(self), std::move(commit));
  auto asked = co::request<done>(self, store_of(self), caf::infinite,
                                 sync_store{run});
  co_await asked;
}

/// Puts a run whose lease is ours into the queue.
co::task<run_handle> requeue(registry_ptr self, next_leg leg, run_head head,
                             resume_run order) {
  leg.commit.change.push_back(
    {run_status::queued, now_micros(), order.due_at, std::move(head.details)});
  co_await store_now(self, std::move(leg.commit));
  co_return run_handle{head.run_id, head.session.session_id, {}};
}

/// Cancels a run that nobody works on: settles its calls and says so.
co::task<void> settle_cancelled(registry_ptr self, std::string run_id,
                                std::string reason) {
  auto head = co_await acquire(self, run_id);
  auto bare = bare_definition(head.kind, head.name);
  auto undecided = std::vector<stored_decision>{};
  auto preparing = prepare_leg(self, open_head(std::move(head)),
                               run_status::suspended, std::move(undecided));
  auto leg = co_await preparing;
  auto why = fault{};
  why.kind = errc::cancelled;
  why.message = std::move(reason);
  leg.spec.end_at_once = run_outcome{run_status::cancelled, std::move(why), {}};
  auto handle = spawn_run(self, std::move(bare), std::move(leg.spec));
  auto asked = co::request<run_object>(self, handle.run, caf::infinite,
                                       await_run{});
  co_await asked;
}

/// What answers the suspension of a workflow; nothing where none waits. Throws
/// where there is an input that nothing waits for.
std::optional<run_value> input_for(const stored_run& run,
                                   const resume_run& order) {
  const auto& id = run.details.object.suspension.id;
  auto waits = run.head.status == run_status::suspended && !id.empty();
  if (!order.input_json.empty() && !waits)
    throw co::failure{errc::configuration,
                      "the run " + run.head.run_id + " waits for no input"};
  if (!waits)
    return std::nullopt;
  if (order.input_json.empty())
    return run_value{"resume/" + id, now_micros(), "null"};
  auto value = parse_json(order.input_json);
  if (!value)
    throw co::failure{errc::configuration, "the input is no JSON: "
                                             + to_fault(value.error()).message};
  return run_value{"resume/" + id, now_micros(), order.input_json};
}

/// What was decided for a step, and what it left half done, would be lost
/// without a word where the run went on without it.
void refuse_lost_step(const run_object& run, const run_definition& definition) {
  auto step = find_lost_step(run, definition);
  if (!step.empty())
    throw co::failure{make_error(
      errc::configuration,
      "the run goes on with the step \"" + step + "\", which the "
        + definition.kind() + " \"" + definition.name() + "\" has no more",
      {}, "put it back, or troupe runs cancel " + run.run_id)};
}

/// Finds out which runs have lost their process: nobody waits for the end of a
/// lease whose owner is gone.
co::task<void> reconcile(registry_ptr self) {
  auto asked = co::request<run_id_list>(self, store_of(self), caf::infinite,
                                        reconcile_runs{});
  co_await asked;
}

/// What `resume` does for a run that it has to acquire, or that is ours.
co::task<run_handle> take_up(registry_ptr self, resume_run order) {
  if (order.epoch == 0)
    co_await reconcile(self);
  auto run = co_await find_stored(self, order.run_id);
  refuse_finished(run.head);
  auto before = run.head.status;
  auto decisions = bind_decisions(order.decisions,
                                  run.details.object.suspension);
  if (!decisions)
    throw co::failure{std::move(decisions.error())};
  auto input = input_for(run, order);
  auto definition = order.definition.get()
                      ? *order.definition.get()
                      : find_definition(*self->state.spec.catalog,
                                        run.details.request, run.head.kind);
  if (definition.name() != run.head.name || definition.kind() != run.head.kind)
    throw co::failure{errc::configuration, "the run is one of the "
                                             + run.head.kind + " \""
                                             + run.head.name + "\", not of \""
                                             + definition.name() + "\""};
  refuse_lost_step(run.details.object, definition);
  if (!order.later)
    co_await await_room(self);
  if (order.epoch == 0)
    run.head = co_await acquire(self, order.run_id);
  else
    before = run_status::queued; // a worker took it from there
  auto head = run.head;
  auto leg = co_await prepare_leg(self, std::move(run), before,
                                  std::move(*decisions));
  if (input) {
    leg.earlier->values.push_back(*input);
    leg.commit.values.push_back(std::move(*input));
  }
  if (order.later) {
    auto queued = co_await requeue(self, std::move(leg), std::move(head),
                                   std::move(order));
    co_return queued;
  }
  auto has_input = static_cast<bool>(input);
  if (has_input)
    co_await store_now(self, std::move(leg.commit)); // whoever sent it is told
  else
    self->send(store_of(self), std::move(leg.commit));
  leg.spec.request.with_events = order.with_events;
  co_return spawn_run(self, std::move(definition), std::move(leg.spec));
}

/// Ends a run that a worker took and cannot run.
co::task<run_handle> fail_taken(registry_ptr self, std::string run_id,
                                caf::error why) {
  auto run = co_await find_stored(self, std::move(run_id));
  auto bare = bare_definition(run.head.kind, run.head.name);
  auto undecided = std::vector<stored_decision>{};
  auto preparing = prepare_leg(self, std::move(run), run_status::queued,
                               std::move(undecided));
  auto leg = co_await preparing;
  leg.spec.end_at_once = run_outcome{run_status::failed, to_fault(why), {}};
  co_return spawn_run(self, std::move(bare), std::move(leg.spec));
}

} // namespace

co::task<run_object> put_off(registry_ptr self, queue_run order) {
  auto& state = self->state;
  check_request(order.request);
  auto definition = find_definition(*state.spec.catalog, order.request);
  auto now = now_micros();
  auto head = run_head{};
  head.run_id = state.ids.next(now);
  if (order.request.session_id.empty())
    order.request.session_id = state.ids.next(now);
  head.kind = definition.kind();
  head.name = definition.name();
  head.queue = std::move(order.queue);
  head.session = {head.name, order.request.session_id, order.request.actor_id};
  head.status = run_status::queued;
  head.created_at = now;
  head.updated_at = now;
  head.due_at = order.due_at;
  head.details = encode_details(order.request, {});
  auto commit = commit_run{};
  commit.run = shared<run_key>{run_key{head.run_id, 0, {}}};
  commit.begin.push_back(head);
  if (!order.request.attachments.empty())
    commit.values.push_back(
      make_attachments_value(order.request.attachments, now));
  co_await store_now(self, std::move(commit));
  co_return open_head(std::move(head)).details.object;
}

co::task<run_handle> resume(registry_ptr self, resume_run order) {
  if (order.epoch == 0) {
    auto handle = co_await take_up(self, std::move(order));
    co_return handle;
  }
  auto run_id = order.run_id;
  auto failed = caf::error{};
  auto handle = run_handle{};
  try {
    handle = co_await take_up(self, std::move(order));
  } catch (...) { // becomes the run's end
    failed = co::to_error(std::current_exception());
  }
  if (failed)
    handle = co_await fail_taken(self, std::move(run_id), std::move(failed));
  co_return handle;
}

co::task<run_object> cancel_stored(registry_ptr self, cancel_stored_run order) {
  auto run_id = order.run_id;
  if (order.reason.empty())
    order.reason = "the run was cancelled";
  co_await reconcile(self);
  auto run = co_await find_stored(self, run_id);
  refuse_finished(run.head);
  auto ours = self->state.runs.find(run_id);
  if (ours != self->state.runs.end())
    self->send(ours->second.run, cancel_run{order.reason});
  else if (run.head.status != run_status::running)
    co_await settle_cancelled(self, run_id, order.reason);
  else {
    auto asked = co::request<run_list>(self, store_of(self), caf::infinite,
                                       request_run_cancel{run_id});
    co_await asked;
  }
  auto until = self->clock().now() + patience;
  for (;;) {
    auto now = co_await find_stored(self, run_id);
    if (is_over(now.head.status) || self->clock().now() > until)
      co_return std::move(now.details.object);
    co_await co::sleep_for(self, glance);
  }
}

} // namespace troupe
