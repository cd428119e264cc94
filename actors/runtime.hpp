#pragma once

#include "troupe/actors/agent_builder.hpp"
#include "troupe/actors/assembly_builder.hpp"
#include "troupe/actors/execution.hpp"
#include "troupe/actors/run/log.hpp"
#include "troupe/actors/run/run_feed.hpp"
#include "troupe/actors/run/run_worker.hpp"
#include "troupe/actors/work.hpp"
#include "troupe/actors/workflow/workflow.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/runtime/messages/supervise_messages.hpp"
#include "troupe/sandbox/workspace.hpp"

#include "caf/expected.hpp"
#include "caf/fwd.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// What a runtime is made from.
struct runtime_options {
  troupe::settings settings;
  /// The agents it can run, by their names; those that `settings.agents`
  /// names are loaded beside them.
  std::vector<agent> agents;
  /// The workflows it can run, by their names.
  std::vector<workflow> workflows;
  /// The assemblies it can run, by their names.
  std::vector<assembly> assemblies;
  /// Tools that agent files may name beside the built-in ones.
  std::vector<tool> tools;
  /// What relative paths count from; empty: the working directory.
  std::string folder;
  /// Models of the application: connection name -> actor.
  std::map<std::string, model_actor> models;
  /// Asked where a permission says so; may block. Empty: nobody is asked.
  std::function<permission_answer(const permission_request&)> on_ask;
  /// Called for each workspace on a disk that a run opens, and when it closes.
  troupe::workspace_callbacks workspace_callbacks;
  /// Takes lines for the operator: what was hidden from a model, what could
  /// not be cleaned up. Empty: warnings and errors go to stderr.
  log_sink on_log;
  /// Where to record model exchanges as a cassette; empty: nowhere.
  std::string record_to;
  /// Values of `${NAME}` in agent files; empty: this process's environment.
  std::map<std::string, std::string, std::less<>> environment;
};

/// Runs agents: owns an actor system or shares the application's, the store,
/// the models and every run. A value: several in one process do not meet. All
/// functions may be called from any thread that is not an actor's; inside
/// actors, ask `runs()` with `co::request`.
class runtime {
public:
  /// Starts a runtime with an actor system of its own. Throws `co::failure`:
  /// configuration when something named does not exist or is not valid,
  /// storage when the store cannot be opened. Nothing has run then.
  explicit runtime(runtime_options options);

  /// Starts a runtime in an actor system that outlives it and was configured
  /// with `register_messages`.
  runtime(caf::actor_system& system, runtime_options options);

  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Cancels what runs, waits for its end, then closes everything in reverse
  /// order of its start.
  ~runtime();

  /// Runs to the end and gives the run object, whatever its status; throws
  /// `co::failure` only when no run could be started.
  run_object ask(run_request request);

  /// The same for a plain prompt.
  run_object ask(const std::string& agent, const std::string& prompt);

  /// Starts a run and returns: its events can be read, it can be cancelled
  /// and awaited. `resources` are closed with it.
  execution start(run_request request,
                  std::shared_ptr<run_resources> resources = nullptr);

  /// The same for an assembly that was made for it. It is checked first: throws
  /// `co::failure` of kind configuration with all that is wrong. The run has a
  /// copy of it. Another process cannot go on with such a run.
  run_object ask(const assembly& what, run_request request);
  execution start(const assembly& what, run_request request,
                  std::shared_ptr<run_resources> resources = nullptr);

  /// `start` with events to be read: a reader that is slow pauses the run.
  execution stream(run_request request);

  /// Starts a run and returns; `done` is called once, on a thread of the
  /// runtime, with its object or why it could not be started. For event loops
  /// of other kinds: have it post to yours.
  void start_async(run_request request,
                   std::function<void(caf::expected<run_object>)> done);

  /// Stores a run for a worker, here or in another process, to take; its object
  /// when it is stored. Throws `co::failure`.
  run_object run_later(queue_run order);

  /// Goes on with a stored run: one that was suspended, with the decisions or
  /// the input it waits for, or one that lost its process. Throws `co::failure`
  /// and leaves the run as it was where it is over, somebody else's, or does
  /// not wait for what the order decides.
  execution resume(resume_run order);

  /// The same for a run of an assembly that was made for it.
  execution resume(resume_run order, const assembly& what);

  /// The same, put into the queue.
  void resume_later(resume_run order);

  /// Cancels a stored run, wherever it is, and waits for its end for at most 30
  /// seconds; its object as it is then. Throws `co::failure`.
  run_object cancel_run(const std::string& run_id, std::string reason = {});

  /// Stored runs, newest first; `matches` narrows further where it is not
  /// empty.
  caf::expected<std::vector<run_object>>
  list_runs(troupe::list_runs query,
            const std::function<bool(const run_object&)>& matches = {});

  /// One stored run; nothing when there is none.
  caf::expected<std::optional<run_object>> find_run(const std::string& run_id);

  /// Stored events of a run with `after` < seq, at most `max`, oldest first.
  caf::expected<std::vector<run_event>> run_events(const std::string& run_id,
                                                   uint64_t after = 0,
                                                   uint64_t max = 1000);

  /// The artifacts of a run by name, without their contents.
  caf::expected<std::vector<artifact_record>>
  artifacts(const std::string& run_id);

  /// One artifact of a run, whole; nothing when there is none of that name.
  caf::expected<std::optional<artifact_record>>
  artifact(const std::string& run_id, const std::string& name);

  /// Marks as interrupted the runs whose processes have ended; their ids.
  caf::expected<std::vector<std::string>> reconcile_runs();

  /// Starts a worker, which takes runs from the store and has them run here. It
  /// ends with the runtime at the latest.
  work start_work(worker_options options);

  /// Tells `who` what happens to the runs of this runtime, as it happens; see
  /// `run_feed::subscribe`.
  uint64_t subscribe(run_subscriber who);
  void unsubscribe(uint64_t id);

  /// Begins a conversation with the first `records` records of another (0: all
  /// of them), which share them. An error where there are fewer, or `to`
  /// exists.
  caf::error fork_session(const session_key& from, const session_key& to,
                          uint64_t records = 0);

  /// Stored conversations, newest first.
  caf::expected<std::vector<session_summary>>
  sessions(const std::string& session_id = {});

  /// One stored conversation as the next run goes on with it: from its last
  /// summary on, repaired where a crash left it open.
  caf::expected<std::vector<chat_message_ptr>> messages(session_key key);

  /// Removes a stored conversation; how many were there (0 or 1).
  caf::expected<uint64_t> erase_session(session_key key);

  /// For `co::request<run_handle>(self, runtime.runs(), …, start_run{…})`.
  const run_registry_actor& runs() const noexcept;

  /// The root of the supervision tree; ask it for `list_children`.
  const supervisor_actor& root() const noexcept;

  caf::actor_system& system() const noexcept;

private:
  class parts;
  std::unique_ptr<parts> parts_;
};

} // namespace troupe
