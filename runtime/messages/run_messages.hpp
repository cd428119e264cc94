#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/messages/run_resources.hpp"
#include "troupe/storage/run_records.hpp"

#include "caf/meta/type_name.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

template <class Inspector>
auto inspect(Inspector& f, fault& x) {
  return f(caf::meta::type_name("troupe::fault"), x.kind, x.message, x.where,
           x.hint, x.status, x.retryable, x.retry_after);
}

/// What a run may be asked for. Empty fields take the agent's or the
/// configuration's value.
struct run_request {
  std::string agent;
  std::string input;
  /// Made up when empty.
  std::string session_id;
  std::string actor_id;
  /// Application values for tools and templates: the text of a JSON object.
  std::string context_json = "{}";
  /// "connection:model" or a role, in place of the agent's.
  std::string model;
  /// Extra model request fields: the text of a JSON object.
  std::string settings_json;
  /// read_only | auto | ask | approve, in place of the agent's.
  std::string permission_mode;
  /// The workspace's root directory, in place of the agent's.
  std::string workspace;
  /// From the start of the run; 0 takes the configured one.
  caf::timespan deadline{0};
  /// Keep events for `pull_run_events`. Without, a run keeps none.
  bool with_events = false;
  /// The file that the agent was read from; for a later process. Absolute.
  std::string agent_file;
  /// What the input is about beside its text.
  std::vector<content_block> attachments;
  /// Whether readers see what the participants of an assembly do, too; the
  /// store does in any case.
  bool include_agent_events = true;
};

template <class Inspector>
auto inspect(Inspector& f, run_request& x) {
  return f(caf::meta::type_name("troupe::run_request"), x.agent, x.input,
           x.session_id, x.actor_id, x.context_json, x.model, x.settings_json,
           x.permission_mode, x.workspace, x.deadline, x.with_events,
           x.agent_file, x.attachments, x.include_agent_events);
}

std::string to_string(run_status x);

/// The status called `name`; `pending` for any other.
run_status run_status_from(std::string_view name);

struct run_usage {
  token_usage tokens;
  uint64_t model_requests = 0;
  uint64_t tool_calls = 0;
};

template <class Inspector>
auto inspect(Inspector& f, run_usage& x) {
  return f(caf::meta::type_name("troupe::run_usage"), x.tokens,
           x.model_requests, x.tool_calls);
}

struct run_step {
  uint64_t id = 1;
  std::string participant;
  /// What tells several steps of one participant apart; empty for an agent's
  /// run, which is its own step.
  std::string name;
  run_status status = run_status::running;
  int64_t started_at = 0;
  /// 0 while it runs.
  int64_t ended_at = 0;
  /// The kind of the error that it ended with; empty: it had none.
  std::string error_kind = {};
};

template <class Inspector>
auto inspect(Inspector& f, run_step& x) {
  return f(caf::meta::type_name("troupe::run_step"), x.id, x.participant,
           x.name, x.status, x.started_at, x.ended_at, x.error_kind);
}

/// How a run came from one step to the next.
struct run_transition {
  /// The names of the steps; `from` is empty where the run began with `to`.
  std::string from;
  std::string to;
  int64_t at = 0;
};

template <class Inspector>
auto inspect(Inspector& f, run_transition& x) {
  return f(caf::meta::type_name("troupe::run_transition"), x.from, x.to, x.at);
}

/// A call that waits for a person.
struct pending_approval {
  tool_call call;
  std::string capability;
  /// The record of the message that it stands in, and the SHA-256 of its name
  /// and arguments in hex: what a decision is bound to.
  uint64_t record = 0;
  std::string digest;
  /// The conversation of the step that it belongs to; empty: the run's own.
  std::string session_id;
};

template <class Inspector>
auto inspect(Inspector& f, pending_approval& x) {
  return f(caf::meta::type_name("troupe::pending_approval"), x.call,
           x.capability, x.record, x.digest, x.session_id);
}

/// What a suspended run waits for.
struct run_suspension {
  std::string reason;
  /// Chosen by the workflow that suspended; empty: none.
  std::string resume_key;
  std::vector<pending_approval> approvals;
  /// What tells it from the workflow's other suspensions; empty where calls
  /// wait for a person.
  std::string id;
};

template <class Inspector>
auto inspect(Inspector& f, run_suspension& x) {
  return f(caf::meta::type_name("troupe::run_suspension"), x.reason,
           x.resume_key, x.approvals, x.id);
}

/// The run object of the contract. Times are microseconds since the epoch, 0
/// where they have not come yet.
struct run_object {
  std::string run_id;
  std::string kind = "agent";
  std::string name;
  run_status status = run_status::pending;
  std::string session_id;
  std::string actor_id;
  std::string input;
  bool has_response = false;
  std::string response;
  /// JSON text of the checked object of a result schema; empty: the response.
  std::string output_json;
  run_usage usage;
  std::vector<run_step> steps;
  std::vector<run_transition> transitions;
  /// Steps and transitions that came after the most that are kept.
  uint64_t steps_left_out = 0;
  uint64_t transitions_left_out = 0;
  /// The arguments of the call that ended the run of a participant.
  std::string final_call_json;
  /// Counts while `status` is suspended.
  run_suspension suspension;
  bool has_error = false;
  fault error;
  /// What could not be closed or cleaned up when the run ended.
  std::vector<std::string> cleanup_failures;
  int64_t created_at = 0;
  int64_t started_at = 0;
  int64_t ended_at = 0;
};

template <class Inspector>
auto inspect(Inspector& f, run_object& x) {
  return f(caf::meta::type_name("troupe::run_object"), x.run_id, x.kind, x.name,
           x.status, x.session_id, x.actor_id, x.input, x.has_response,
           x.response, x.output_json, x.usage, x.steps, x.transitions,
           x.steps_left_out, x.transitions_left_out, x.final_call_json,
           x.suspension, x.has_error, x.error, x.cleanup_failures, x.created_at,
           x.started_at, x.ended_at);
}

/// The words of `type` in an event. On disk: append, never reorder.
enum class event_type : uint8_t {
  run_start,
  invocation_start,
  message_start,
  text_delta,
  reasoning_delta,
  tool_call,
  tool_result,
  model_retry,
  usage,
  message_stop,
  invocation_stop,
  step_start,
  step_stop,
  handoff,
  interjection,
  artifact,
  checkpoint,
  approval_request,
  suspended,
  resumed,
  agent_stream,
  custom,
  run_stop,
  run_error,
  run_partial,
  run_cancel,
};

inline constexpr auto last_event_type = event_type::run_cancel;

std::string to_string(event_type x);

/// The text of the custom event before a summary is asked for, which counts as
/// a request to a model.
inline constexpr auto summary_event = "summary";

/// Whether nothing follows an event of this type in its run.
constexpr bool is_terminal(event_type x) {
  return x >= event_type::run_stop || x == event_type::suspended;
}

/// Whether events of this type are streamed and not stored.
constexpr bool is_delta(event_type x) {
  return x == event_type::text_delta || x == event_type::reasoning_delta;
}

/// Where among the participants of a run an event comes from.
struct event_source {
  /// The names of the assemblies around it, outermost first.
  std::vector<std::string> assemblies;
  /// The names of the agents that led to it, the one itself last; empty for
  /// an assembly's own.
  std::vector<std::string> agents;
  /// The step, as the run's steps name it.
  std::string operation;
};

template <class Inspector>
auto inspect(Inspector& f, event_source& x) {
  return f(caf::meta::type_name("troupe::event_source"), x.assemblies, x.agents,
           x.operation);
}

/// One event of a run. Which fields count depends on the type; `event_json`
/// gives the contract's form.
struct run_event {
  /// 0: not stored (deltas).
  uint64_t seq = 0;
  int64_t at = 0;
  event_type type = event_type::custom;
  /// Deltas, a message's whole text, a retry's reason, an answer.
  std::string text;
  /// tool_call and tool_result; for the latter `arguments` holds the result.
  shared<troupe::tool_call> call;
  bool is_error = false;
  token_usage usage;
  /// The failure of run_error and model_retry.
  shared<fault> why;
  uint32_t attempt = 0;
  /// The record of the conversation that holds the message this is about, so
  /// that it is stored once; 0: none. And the call in it.
  uint64_t record = 0;
  uint32_t call_index = 0;
  /// Anything else: the text of a JSON object, merged into `data`.
  std::string data_json;
  /// The step of a run that it comes from, and its conversation, which `record`
  /// is in; empty: the run itself.
  std::string participant;
  std::string session_id;
  /// Set for an event of a participant, which others see as `agent_stream`.
  shared<event_source> source;
  /// On its way up: it is about what the participant answers.
  bool is_answer = false;
};

template <class Inspector>
auto inspect(Inspector& f, run_event& x) {
  return f(caf::meta::type_name("troupe::run_event"), x.seq, x.at, x.type,
           x.text, x.call, x.is_error, x.usage, x.why, x.attempt, x.record,
           x.call_index, x.data_json, x.participant, x.session_id, x.source,
           x.is_answer);
}

/// Asks for the events after the first `seen` of a run, all that have not been
/// pulled; answered when there is one or the run is over. What was pulled is
/// forgotten, so there is one reader.
struct pull_run_events {};

template <class Inspector>
auto inspect(Inspector& f, pull_run_events&) {
  return f(caf::meta::type_name("troupe::pull_run_events"));
}

struct run_event_batch {
  std::vector<run_event> events;
  /// The last of them was the run's last.
  bool done = false;
};

template <class Inspector>
auto inspect(Inspector& f, run_event_batch& x) {
  return f(caf::meta::type_name("troupe::run_event_batch"), x.events, x.done);
}

/// Asks for events of a run, stored ones and those that happen, as many readers
/// as like; answered when there is one or the run is over. A reader that falls
/// behind reads what the store has: it loses deltas and nothing else.
struct follow_run_events {
  /// The last stored event that the reader has; 0: none.
  uint64_t after = 0;
  /// `followed_run_events::position` of its last answer; 0: it has none.
  uint64_t position = 0;
};

template <class Inspector>
auto inspect(Inspector& f, follow_run_events& x) {
  return f(caf::meta::type_name("troupe::follow_run_events"), x.after,
           x.position);
}

struct followed_run_events {
  std::vector<shared<run_event>> events;
  uint64_t position = 0;
  /// The last of them was the run's last.
  bool done = false;
};

template <class Inspector>
auto inspect(Inspector& f, followed_run_events& x) {
  return f(caf::meta::type_name("troupe::followed_run_events"), x.events,
           x.position, x.done);
}

/// Says something to the agent of a run while it works. Answered when it is
/// known what has become of it; an error: it was not heard.
struct interject {
  std::string text;
  std::vector<content_block> blocks;
};

template <class Inspector>
auto inspect(Inspector& f, interject& x) {
  return f(caf::meta::type_name("troupe::interject"), x.text, x.blocks);
}

enum class interjection_outcome : uint8_t {
  /// The model was told in this run.
  delivered,
  /// The run was over before; it stands in the conversation for the next one.
  next_input,
};

struct interjection_end {
  interjection_outcome outcome = interjection_outcome::delivered;
};

template <class Inspector>
auto inspect(Inspector& f, interjection_end& x) {
  return f(caf::meta::type_name("troupe::interjection_end"), x.outcome);
}

/// Has a participant rest where it is, to be gone on with in the next leg of
/// its run, which others of the run wait for.
struct pause_run {};

template <class Inspector>
auto inspect(Inspector& f, pause_run&) {
  return f(caf::meta::type_name("troupe::pause_run"));
}

/// What the model of an agent orders of those that work for it.
struct helper_order {
  /// The tool that it called: one of `subagent_…`, or an assembly as a tool.
  std::string tool;
  /// The arguments: the text of a JSON object.
  std::string arguments;
  /// The same for each attempt of the call, and for no other call.
  std::string key;
};

template <class Inspector>
auto inspect(Inspector& f, helper_order& x) {
  return f(caf::meta::type_name("troupe::helper_order"), x.tool, x.arguments,
           x.key);
}

struct helper_reply {
  /// The JSON text that the model sees.
  std::string content;
  bool is_error = false;
};

template <class Inspector>
auto inspect(Inspector& f, helper_reply& x) {
  return f(caf::meta::type_name("troupe::helper_reply"), x.content, x.is_error);
}

/// Answered with the run object when the run has ended.
struct await_run {};

template <class Inspector>
auto inspect(Inspector& f, await_run&) {
  return f(caf::meta::type_name("troupe::await_run"));
}

/// Ends a run as cancelled; harmless when it has ended.
struct cancel_run {
  std::string reason;
};

template <class Inspector>
auto inspect(Inspector& f, cancel_run& x) {
  return f(caf::meta::type_name("troupe::cancel_run"), x.reason);
}

/// A run's supervisor tells it that its time is up.
struct expire_run {};

template <class Inspector>
auto inspect(Inspector& f, expire_run&) {
  return f(caf::meta::type_name("troupe::expire_run"));
}

/// Starts a run; answered when it has started, which is at once unless as many
/// run as may.
struct start_run {
  run_request request;
  /// What is to be closed with the run; may be null.
  run_resources_ptr resources;
};

template <class Inspector>
auto inspect(Inspector& f, start_run& x) {
  return f(caf::meta::type_name("troupe::start_run"), x.request, x.resources);
}

/// Puts a run off: it waits in the store until a worker takes it. Answered
/// with its object when it is stored.
struct queue_run {
  run_request request;
  std::string queue;
  /// Not to be started before; 0 at once.
  int64_t due_at = 0;
};

template <class Inspector>
auto inspect(Inspector& f, queue_run& x) {
  return f(caf::meta::type_name("troupe::queue_run"), x.request, x.queue,
           x.due_at);
}

/// What a person decided about one pending call.
struct call_decision {
  std::string call_id;
  bool approve = false;
  /// For the model, when it is denied; may be empty.
  std::string reason;
};

template <class Inspector>
auto inspect(Inspector& f, call_decision& x) {
  return f(caf::meta::type_name("troupe::call_decision"), x.call_id, x.approve,
           x.reason);
}

/// Goes on with a run that was suspended, interrupted or queued, at once, or
/// puts it back into the queue.
struct resume_run {
  std::string run_id;
  std::vector<call_decision> decisions;
  /// What a suspended workflow waits for: JSON text, or empty.
  std::string input_json;
  bool with_events = false;
  /// Goes into the queue instead of being run here.
  bool later = false;
  std::string queue;
  int64_t due_at = 0;
  /// A worker took it already: its epoch; 0: it has to be acquired.
  uint64_t epoch = 0;
};

template <class Inspector>
auto inspect(Inspector& f, resume_run& x) {
  return f(caf::meta::type_name("troupe::resume_run"), x.run_id, x.decisions,
           x.input_json, x.with_events, x.later, x.queue, x.due_at, x.epoch);
}

/// Ends a stored run as cancelled, wherever it is: asks its owner, or settles
/// it here where it has none. Answered with its object as it is then.
struct cancel_stored_run {
  std::string run_id;
  std::string reason;
};

template <class Inspector>
auto inspect(Inspector& f, cancel_stored_run& x) {
  return f(caf::meta::type_name("troupe::cancel_stored_run"), x.run_id,
           x.reason);
}

/// A run tells its registry that it is over.
struct run_over {
  std::string run_id;
};

template <class Inspector>
auto inspect(Inspector& f, run_over& x) {
  return f(caf::meta::type_name("troupe::run_over"), x.run_id);
}

} // namespace troupe
