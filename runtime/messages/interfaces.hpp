#pragma once

#include "troupe/runtime/co/cancel_request.hpp"
#include "troupe/runtime/messages/done.hpp"
#include "troupe/runtime/messages/model_messages.hpp"
#include "troupe/runtime/messages/note_messages.hpp"
#include "troupe/runtime/messages/permission_messages.hpp"
#include "troupe/runtime/messages/process_messages.hpp"
#include "troupe/runtime/messages/run_messages.hpp"
#include "troupe/runtime/messages/sandbox_messages.hpp"
#include "troupe/runtime/messages/scope_messages.hpp"
#include "troupe/runtime/messages/session_messages.hpp"
#include "troupe/runtime/messages/store_messages.hpp"
#include "troupe/runtime/messages/tool_messages.hpp"

#include "caf/replies_to.hpp"
#include "caf/stateful_actor.hpp"
#include "caf/typed_actor.hpp"
#include "caf/typed_event_based_actor.hpp"

namespace troupe {

// Who answers what: one page. Every actor here answers each request, also when
// it dies, and takes `co::cancel_request` for those it has not answered.

struct model_batch;

/// One answer of a model that has not arrived in full. It quits after its last
/// batch or failure; `end_work` aborts it.
using model_stream_actor
  = co::cancellable_actor<caf::replies_to<pull_model_events>::with<model_batch>,
                          caf::replies_to<end_work>::with<done>>;

/// Events of a model's answer. The last batch ends with `stop`.
struct model_batch {
  std::vector<model_event> events;
  /// Where the rest comes from; null with the last batch.
  model_stream_actor rest;
};

template <class Inspector>
auto inspect(Inspector& f, model_batch& x) {
  return f(caf::meta::type_name("troupe::model_batch"), x.events, x.rest);
}

/// One provider connection. Errors are of the nine provider kinds.
using model_actor
  = co::cancellable_actor<caf::replies_to<model_request>::with<model_batch>>;

/// A model that somebody must end: `end_work` aborts what it does for others.
using model_connection_actor
  = model_actor::extend<caf::replies_to<end_work>::with<done>>;

/// A model that was found, and what a request to it must say.
struct model_handle {
  model_actor model;
  /// For `model_request::model` and `model_request::settings_json`.
  std::string model_id;
  shared<std::string> settings_json;
  model_capabilities capabilities;
};

template <class Inspector>
auto inspect(Inspector& f, model_handle& x) {
  return f(caf::meta::type_name("troupe::model_handle"), x.model, x.model_id,
           x.settings_json, x.capabilities);
}

/// Finds or starts the models that the settings name.
using model_catalog_actor
  = co::cancellable_actor<caf::replies_to<find_model>::with<model_handle>,
                          caf::replies_to<end_work>::with<done>>;

/// One tool of one run. A failure is a result; an error means the actor died.
using tool_actor
  = co::cancellable_actor<caf::replies_to<tool_request>::with<tool_result>,
                          caf::replies_to<end_work>::with<done>>;

/// One command that somebody talks with. Ends with `end_work`, its tree first.
using process_actor = co::cancellable_actor<
  caf::replies_to<write_process>::with<done>,
  caf::replies_to<read_process>::with<process_output>,
  caf::replies_to<wait_process>::with<process_state>,
  caf::replies_to<signal_process>::with<done>,
  caf::replies_to<terminate_process>::with<process_state>,
  caf::replies_to<resize_process>::with<done>,
  caf::replies_to<end_work>::with<done>>;

struct process_handle {
  process_actor process;
};

template <class Inspector>
auto inspect(Inspector& f, process_handle& x) {
  return f(caf::meta::type_name("troupe::process_handle"), x.process);
}

/// One run's files and commands.
using sandbox_actor = co::cancellable_actor<
  caf::replies_to<read_file_request>::with<read_file_result>,
  caf::replies_to<list_files_request>::with<list_files_result>,
  caf::replies_to<glob_request>::with<glob_result>,
  caf::replies_to<grep_request>::with<grep_result>,
  caf::replies_to<write_file_request>::with<write_file_result>,
  caf::replies_to<replace_in_file_request>::with<replace_in_file_result>,
  caf::replies_to<store_artifacts>::with<stored_artifacts>,
  caf::replies_to<process_request>::with<process_result>,
  caf::replies_to<start_process>::with<process_handle>,
  caf::replies_to<open_scope>::with<opened_scope>,
  caf::replies_to<describe_sandbox>::with<sandbox_description>,
  caf::replies_to<end_work>::with<done>>;

/// The handle of a sandbox that a scope was opened as.
inline sandbox_actor sandbox_of(const opened_scope& x) {
  return caf::actor_cast<sandbox_actor>(x.sandbox);
}

/// Answers for whoever may be asked about a call.
using approver_actor = co::cancellable_actor<
  caf::replies_to<permission_request>::with<permission_answer>>;

/// The one owner of the store.
using store_actor = co::cancellable_actor<
  caf::reacts_to<commit_run>, caf::replies_to<sync_store>::with<done>,
  caf::reacts_to<flush_store>,
  caf::replies_to<load_session>::with<stored_session>,
  caf::replies_to<list_sessions>::with<session_list>,
  caf::replies_to<erase_session>::with<erased_sessions>,
  caf::replies_to<fork_session>::with<done>,
  caf::replies_to<find_run>::with<run_list>,
  caf::replies_to<list_runs>::with<run_list>,
  caf::replies_to<load_run_events>::with<run_event_batch>,
  caf::replies_to<load_run_values>::with<run_value_list>,
  caf::replies_to<load_run_artifacts>::with<artifact_list>,
  caf::replies_to<erase_run>::with<erased_sessions>,
  caf::replies_to<acquire_run>::with<run_list>,
  caf::replies_to<renew_leases>::with<run_id_list>,
  caf::replies_to<reconcile_runs>::with<run_id_list>,
  caf::replies_to<request_run_cancel>::with<run_list>,
  caf::replies_to<find_cancel_requests>::with<run_id_list>>;

/// Takes what happens in a run: the store, or the run that it is a step of.
using run_sink_actor
  = co::cancellable_actor<caf::reacts_to<commit_run>,
                          caf::replies_to<sync_store>::with<done>>;

/// One conversation: gives its turns to one run at a time, in order.
using session_actor
  = co::cancellable_actor<caf::replies_to<open_turn>::with<session_turn>,
                          caf::reacts_to<close_turn>>;

/// Finds or starts the session of a key and passes its turns on.
using session_registry_actor
  = co::cancellable_actor<caf::replies_to<open_turn>::with<session_turn>,
                          caf::reacts_to<close_turn>,
                          caf::reacts_to<session_idle>>;

/// One top-level run.
using run_actor = co::cancellable_actor<
  caf::replies_to<await_run>::with<run_object>,
  caf::replies_to<pull_run_events>::with<run_event_batch>,
  caf::replies_to<follow_run_events>::with<followed_run_events>,
  caf::replies_to<interject>::with<interjection_end>,
  caf::reacts_to<cancel_run>, caf::reacts_to<expire_run>,
  caf::reacts_to<run_note>>;

/// A run, for its parts: takes what they have to tell.
using run_observer_actor = caf::typed_actor<caf::reacts_to<run_note>>;

/// A run that has steps: takes from them what they would tell the store.
using workflow_actor
  = run_actor::extend<caf::reacts_to<commit_run>,
                      caf::replies_to<sync_store>::with<done>,
                      caf::replies_to<helper_order>::with<helper_reply>>;

/// An agent's run, for its tools: does what the model orders of its helpers.
using helper_host_actor
  = co::cancellable_actor<caf::replies_to<helper_order>::with<helper_reply>>;

/// A run that has started.
struct run_handle {
  std::string run_id;
  std::string session_id;
  run_actor run;
};

template <class Inspector>
auto inspect(Inspector& f, run_handle& x) {
  return f(caf::meta::type_name("troupe::run_handle"), x.run_id, x.session_id,
           x.run);
}

/// Starts and resumes runs, watches their deadlines and leases, ends them with
/// itself.
using run_registry_actor
  = co::cancellable_actor<caf::replies_to<start_run>::with<run_handle>,
                          caf::replies_to<queue_run>::with<run_object>,
                          caf::replies_to<resume_run>::with<run_handle>,
                          caf::replies_to<cancel_stored_run>::with<run_object>,
                          caf::reacts_to<run_over>,
                          caf::replies_to<end_work>::with<done>>;

/// Takes runs out of the store; answers `await_run` when it has nothing left to
/// do.
using run_worker_actor
  = co::cancellable_actor<caf::replies_to<await_run>::with<done>,
                          caf::replies_to<end_work>::with<done>>;

} // namespace troupe
