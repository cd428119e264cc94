#include "troupe/runtime/run/run_json.hpp"

#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/call_decisions.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

namespace troupe {

namespace {

using json = nlohmann::ordered_json;

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(sanitize_utf8(text));
}

json time_or_null(int64_t micros) {
  return micros == 0 ? json(nullptr) : json(rfc3339(micros));
}

// What was checked before it was stored; text that is no JSON stays text.
json json_or_text(const std::string& text) {
  auto value = parse_json(text);
  return value ? json(*value) : json(sanitize_utf8(text));
}

json error_json(const fault& why) {
  auto result = json{{"kind", to_string(why.kind)},
                     {"message", sanitize_utf8(why.message)},
                     {"retryable", why.retryable},
                     {"status", nullptr}};
  if (why.status != 0)
    result["status"] = why.status;
  return result;
}

json usage_json(const run_usage& usage) {
  return {{"input_tokens", usage.tokens.input_tokens},
          {"output_tokens", usage.tokens.output_tokens},
          {"cached_tokens", usage.tokens.cached_tokens},
          {"model_requests", usage.model_requests},
          {"tool_calls", usage.tool_calls}};
}

json steps_json(const std::vector<run_step>& steps) {
  auto result = json::array();
  for (const auto& step : steps) {
    result.push_back({{"id", step.id},
                      {"participant", step.participant},
                      {"status", to_string(step.status)},
                      {"started_at", time_or_null(step.started_at)},
                      {"ended_at", time_or_null(step.ended_at)}});
    if (!step.name.empty())
      result.back()["name"] = step.name;
    if (!step.error_kind.empty())
      result.back()["error"] = sanitize_utf8(step.error_kind);
  }
  return result;
}

/// How the run came from one step to the next.
json trajectory_json(const run_object& run) {
  auto transitions = json::array();
  for (const auto& one : run.transitions)
    transitions.push_back({{"from", text_or_null(one.from)},
                           {"to", sanitize_utf8(one.to)},
                           {"at", time_or_null(one.at)}});
  return {{"transitions", std::move(transitions)},
          {"left_out",
           {{"steps", run.steps_left_out},
            {"transitions", run.transitions_left_out}}}};
}

json approval_json(const run_suspension& waiting, const pending_approval& x) {
  return {{"capability", x.capability},
          {"tool", sanitize_utf8(x.call.name)},
          {"arguments", json_or_text(x.call.arguments)},
          {"call_id", sanitize_utf8(name_of(waiting, x))}};
}

/// `approval` is the first that waits, `approvals` are all.
json suspension_object(const run_suspension& x) {
  auto all = json::array();
  for (const auto& one : x.approvals)
    all.push_back(approval_json(x, one));
  auto result = json{};
  result["reason"] = sanitize_utf8(x.reason);
  result["resume_key"] = text_or_null(x.resume_key);
  result["approval"] = all.empty() ? json(nullptr) : all.front();
  result["approvals"] = std::move(all);
  return result;
}

void add_usage(json& data, const token_usage& usage) {
  data["input_tokens"] = usage.input_tokens;
  data["output_tokens"] = usage.output_tokens;
  data["cached_tokens"] = usage.cached_tokens;
}

void add_call(json& data, const tool_call& call) {
  data["id"] = sanitize_utf8(call.id);
  data["name"] = sanitize_utf8(call.name);
}

void add_retry(json& data, const run_event& event) {
  data["attempt"] = event.attempt;
  data["error"] = error_json(*event.why);
  data["delay_ms"] = event.why->retry_after.count() / 1'000'000;
}

json data_of(const run_event& event) {
  auto data = json::object();
  if (!event.data_json.empty())
    data = json_or_text(event.data_json);
  switch (event.type) {
    case event_type::text_delta:
    case event_type::reasoning_delta:
    case event_type::message_stop:
    case event_type::interjection:
      data["text"] = sanitize_utf8(event.text);
      break;
    case event_type::tool_call:
    case event_type::approval_request:
      add_call(data, *event.call);
      data["arguments"] = json_or_text(event.call->arguments);
      break;
    case event_type::tool_result:
      add_call(data, *event.call);
      data["content"] = json_or_text(event.call->arguments);
      data["error"] = event.is_error;
      break;
    case event_type::model_retry:
      add_retry(data, event);
      break;
    case event_type::usage:
      add_usage(data, event.usage);
      break;
    case event_type::run_stop:
      data["response"] = sanitize_utf8(event.text);
      break;
    case event_type::run_error:
    case event_type::run_partial:
    case event_type::run_cancel:
      data["response"] = text_or_null(event.text);
      data["error"] = error_json(*event.why);
      break;
    default:
      break;
  }
  return data;
}

json stream_data(const run_event& event) {
  const auto& source = *event.source;
  return {{"source",
           {{"assembly", source.assemblies},
            {"agent", source.agents},
            {"operation", source.operation}}},
          {"event",
           {{"type", to_string(event.type)}, {"data", data_of(event)}}}};
}

} // namespace

json run_json(const run_object& run) {
  auto result = json{};
  result["run_id"] = run.run_id;
  result["kind"] = run.kind;
  result["name"] = run.name;
  result["status"] = to_string(run.status);
  result["session_id"] = sanitize_utf8(run.session_id);
  result["actor_id"] = text_or_null(run.actor_id);
  result["input"] = sanitize_utf8(run.input);
  result["response"] = run.has_response ? json(sanitize_utf8(run.response))
                                        : json(nullptr);
  result["output"] = run.output_json.empty() ? result["response"]
                                             : json_or_text(run.output_json);
  result["usage"] = usage_json(run.usage);
  result["steps"] = steps_json(run.steps);
  result["trajectory"] = trajectory_json(run);
  result["suspension"] = run.status == run_status::suspended
                           ? suspension_object(run.suspension)
                           : json(nullptr);
  result["error"] = run.has_error ? error_json(run.error) : json(nullptr);
  result["created_at"] = time_or_null(run.created_at);
  result["started_at"] = time_or_null(run.started_at);
  result["ended_at"] = time_or_null(run.ended_at);
  if (!run.cleanup_failures.empty())
    result["cleanup_failures"] = run.cleanup_failures;
  return result;
}

json event_json(const run_event& event, const std::string& run_id,
                const std::string& participant) {
  auto result = json{};
  result["seq"] = event.seq == 0 ? json(nullptr) : json(event.seq);
  result["at"] = rfc3339(event.at);
  result["run_id"] = run_id;
  result["type"] = to_string(event.source ? event_type::agent_stream
                                          : event.type);
  result["participant"] = event.participant.empty() ? participant
                                                    : event.participant;
  result["data"] = event.source ? stream_data(event) : data_of(event);
  return result;
}

std::string suspension_json(const run_suspension& x) {
  return suspension_object(x).dump();
}

} // namespace troupe
