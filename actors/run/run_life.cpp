#include "troupe/actors/run/run_life.hpp"

#include "troupe/runtime/run/run_attachments.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/run_json.hpp"
#include "troupe/runtime/run/run_lease_time.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <utility>

namespace troupe {

namespace {

void begin_object(run_base& run, std::string kind, std::string name) {
  auto& object = run.record.object;
  const auto& spec = run.spec;
  object.run_id = spec.run_id;
  object.kind = std::move(kind);
  object.name = std::move(name);
  object.session_id = spec.request.session_id;
  object.actor_id = spec.request.actor_id;
  object.input = spec.request.input;
  object.created_at = spec.created_at;
}

/// Takes up what the last owner left.
void take_up_object(run_record& record, const earlier_run& earlier) {
  auto& object = record.object;
  object = earlier.object;
  object.suspension = {};
  object.has_error = false;
  object.error = {};
  object.ended_at = 0;
  record.go_on_after(earlier.events);
}

/// The run as the store first hears of it.
run_head begin_head(const run_base& run) {
  const auto& spec = run.spec;
  auto result = run_head{};
  result.run_id = spec.run_id;
  result.kind = run.record.object.kind;
  result.name = run.record.object.name;
  result.session = run.key->session;
  result.status = run_status::running;
  result.created_at = spec.created_at;
  result.updated_at = now_micros();
  result.lease = {spec.services->owner, spec.epoch, lease_end()};
  result.details = encode_details(spec.request, run.record.object);
  return result;
}

event_type terminal_event(run_status status) {
  switch (status) {
    case run_status::completed:
      return event_type::run_stop;
    case run_status::partial:
      return event_type::run_partial;
    case run_status::cancelled:
      return event_type::run_cancel;
    case run_status::suspended:
      return event_type::suspended;
    default:
      return event_type::run_error;
  }
}

} // namespace

void begin_run(run_base& run, run_spec spec, std::string kind,
               std::string name) {
  run.spec = std::move(spec);
  const auto& request = run.spec.request;
  run.key
    = shared<run_key>{run_key{run.spec.run_id,
                              run.spec.epoch,
                              {name, request.session_id, request.actor_id}}};
  if (run.spec.earlier && !run.spec.is_step)
    take_up_object(run.record, *run.spec.earlier);
  else
    begin_object(run, std::move(kind), std::move(name));
  auto& object = run.record.object;
  object.status = run_status::running;
  if (object.started_at == 0)
    object.started_at = now_micros();
  if (run.spec.request.with_events)
    run.record.keep_events(run.spec.request.include_agent_events);
  const auto& place = run.spec.place;
  if (!has_run_session(run.spec))
    run.source = shared<event_source>{
      event_source{place.assemblies, place.agents, place.path}};
  if (!run.spec.is_step)
    run.spec.services->feed->publish(
      {run.spec.run_id, nullptr, run_status::running});
}

void open_own_step(run_base& run) {
  auto& object = run.record.object;
  if (object.steps.empty())
    object.steps.push_back(
      {1, object.name, {}, run_status::running, object.started_at, 0});
  object.steps.front().status = run_status::running;
  object.steps.front().ended_at = 0;
}

void record_start(run_base& run) {
  if (run.spec.is_step)
    return;
  auto event = run_event{};
  if (!run.spec.earlier) {
    run.pending.begin.push_back(begin_head(run));
    const auto& blocks = run.spec.request.attachments;
    if (!blocks.empty())
      run.pending.values.push_back(
        make_attachments_value(blocks, run.spec.created_at));
  }
  // One that was queued has no events.
  event.type = run.spec.earlier && run.spec.earlier->events > 0
                 ? event_type::resumed
                 : event_type::run_start;
  add_event(run, std::move(event));
}

void close_object(run_base& run, run_outcome outcome) {
  auto& object = run.record.object;
  object.status = outcome.status;
  object.ended_at = now_micros();
  auto is_open = [&outcome](const run_step& x) {
    return x.status == run_status::running
           || (x.status == run_status::suspended
               && outcome.status != run_status::suspended);
  };
  for (auto& step : object.steps)
    if (is_open(step)) {
      step.status = outcome.status;
      step.ended_at = object.ended_at;
      if (outcome.status != run_status::completed
          && outcome.status != run_status::suspended)
        step.error_kind = to_string(outcome.why.kind);
    }
  if (outcome.status == run_status::suspended) {
    object.suspension = std::move(outcome.waits_for);
    object.ended_at = 0;
    return;
  }
  object.has_error = outcome.status != run_status::completed;
  object.error = std::move(outcome.why);
}

void record_end(run_base& run, uint64_t record) {
  run.has_last_event = true;
  const auto& object = run.record.object;
  if (run.spec.is_step)
    return;
  auto event = run_event{};
  event.type = terminal_event(object.status);
  event.text = object.response;
  if (object.has_response && object.status == run_status::completed)
    event.record = record;
  if (object.has_error)
    event.why = shared<fault>{object.error};
  if (object.status == run_status::suspended)
    event.data_json = suspension_json(object.suspension);
  add_event(run, std::move(event));
  run.pending.change = {
    {object.status, now_micros(), 0, encode_details(run.spec.request, object)}};
}

void record_lost_end(run_base& run, const caf::error& why) {
  auto& object = run.record.object;
  object.status = run_status::failed;
  object.has_error = true;
  object.error = to_fault(why);
  object.suspension = {};
  auto event = run_event{};
  event.type = event_type::run_error;
  event.at = now_micros();
  event.why = shared<fault>{object.error};
  event.seq = run.record.last_seq();
  if (!run.unheard.empty())
    run.unheard.back() = event;
  run.record.replace_last(std::move(event));
}

std::string lost_details(const run_base& run) {
  auto object = run.record.object;
  object.has_response = false;
  object.response.clear();
  object.output_json.clear();
  return encode_details(run.spec.request, object);
}

commit_run make_last_word(const run_base& run, uint64_t events,
                          std::string details) {
  auto event = run_event{};
  event.type = event_type::run_error;
  event.seq = events + 1;
  event.at = now_micros();
  event.why = shared<fault>{run.record.object.error};
  auto result = commit_run{};
  result.run = run.key;
  result.is_last_word = true;
  result.events.push_back(std::move(event));
  result.change.push_back(
    {run_status::failed, now_micros(), 0, std::move(details)});
  return result;
}

void announce_end(run_base& run) {
  const auto& object = run.record.object;
  const auto& log = run.spec.services->log;
  for (const auto& failure : object.cleanup_failures)
    log(log_level::warn, "run " + object.run_id + ": " + failure);
  if (!run.spec.is_step)
    log(log_level::info, "run " + object.run_id + " of " + object.name + " is "
                           + to_string(object.status));
  publish(run);
  run.record.end();
  if (!run.spec.is_step)
    run.spec.services->feed->publish({run.spec.run_id, nullptr, object.status});
}

workspace_settings workspace_of(const run_base& run,
                                workspace_settings declared) {
  if (run.spec.request.workspace.empty())
    return declared;
  declared.provider = "directory";
  declared.root = run.spec.request.workspace;
  return declared;
}

run_outcome cancelled_outcome(const std::string& reason) {
  auto result = run_outcome{};
  result.status = run_status::cancelled;
  result.why.kind = errc::cancelled;
  result.why.message = reason.empty() ? "the run was cancelled" : reason;
  return result;
}

run_outcome expired_outcome() {
  auto result = run_outcome{};
  result.status = run_status::partial;
  result.why.kind = errc::timeout;
  result.why.message = "the run's deadline has passed";
  return result;
}

} // namespace troupe
