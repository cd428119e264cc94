#include "troupe/runtime/run/run_details.hpp"

#include "troupe/runtime/model/cbor_fields.hpp"
#include "troupe/runtime/run/stored_parts.hpp"

#include <utility>

namespace troupe {

// On disk: a key is never used again for something else.

template <class F>
void stored_fields(F& f, run_usage& x) {
  f("t", x.tokens);
  f("m", x.model_requests);
  f("c", x.tool_calls);
}

template <class F>
void stored_fields(F& f, run_step& x) {
  f("i", x.id);
  f("p", x.participant);
  f("n", x.name);
  f("s", x.status);
  f("@", x.started_at);
  f(".", x.ended_at);
  f("e", x.error_kind);
}

template <class F>
void stored_fields(F& f, run_transition& x) {
  f("f", x.from);
  f("t", x.to);
  f("@", x.at);
}

template <class F>
void stored_fields(F& f, pending_approval& x) {
  f("c", x.call);
  f("p", x.capability);
  f("m", x.record);
  f("d", x.digest);
  f("s", x.session_id);
}

template <class F>
void stored_fields(F& f, run_suspension& x) {
  f("r", x.reason);
  f("k", x.resume_key);
  f("a", x.approvals);
  f("i", x.id);
}

template <class F>
void stored_fields(F& f, run_request& x) {
  f("a", x.agent);
  f("i", x.input);
  f("c", x.context_json);
  f("m", x.model);
  f("s", x.settings_json);
  f("p", x.permission_mode);
  f("w", x.workspace);
  f("d", x.deadline);
  f("f", x.agent_file);
}

template <class F>
void stored_fields(F& f, run_object& x) {
  f("h", x.has_response);
  f("r", x.response);
  f("o", x.output_json);
  f("u", x.usage);
  f("s", x.steps);
  f("t", x.transitions);
  f("l", x.steps_left_out);
  f("m", x.transitions_left_out);
  f("w", x.suspension);
  f("e", x.has_error);
  f("f", x.error);
  f("c", x.cleanup_failures);
  f("@", x.started_at);
  f(".", x.ended_at);
}

template <class F>
void stored_fields(F& f, run_details& x) {
  f("q", x.request);
  f("o", x.object);
}

namespace {

/// Both parts where they are, to be written without a copy.
struct details_view {
  const run_request& request;
  const run_object& object;
};

template <class F>
void stored_fields(F& f, details_view& x) {
  f("q", const_cast<run_request&>(x.request)); // only looks
  f("o", const_cast<run_object&>(x.object));
}

bool is_sound(const run_details& x) {
  auto sound = x.object.error.kind <= last_errc;
  for (const auto& step : x.object.steps)
    sound = sound && is_known(step.status);
  return sound;
}

} // namespace

std::string encode_details(const run_request& request,
                           const run_object& object) {
  if (!is_over(object.status))
    return encode_fields(details_view{request, object});
  // The application's values are kept for as long as the run may go on.
  auto rest = request;
  rest.context_json = run_request{}.context_json;
  return encode_fields(details_view{rest, object});
}

caf::expected<run_details> decode_details(const run_head& head) {
  auto result = decode_fields<run_details>(head.details);
  if (!result)
    return result;
  if (!is_sound(*result))
    return make_error(errc::storage, "the record of a run cannot be read",
                      head.run_id, "the store is damaged: restore a backup");
  auto& object = result->object;
  object.run_id = head.run_id;
  object.kind = head.kind;
  object.name = head.name;
  object.status = head.status;
  object.session_id = head.session.session_id;
  object.actor_id = head.session.actor_id;
  object.input = result->request.input;
  object.created_at = head.created_at;
  result->request.session_id = head.session.session_id;
  result->request.actor_id = head.session.actor_id;
  return result;
}

} // namespace troupe
