#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/storage/run_records.hpp"

#include "caf/meta/type_name.hpp"
#include "caf/timespan.hpp"

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

} // namespace troupe
