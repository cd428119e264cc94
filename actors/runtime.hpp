#pragma once

#include "troupe/actors/agent_builder.hpp"
#include "troupe/actors/execution.hpp"
#include "troupe/actors/run/log.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/runtime/messages/supervise_messages.hpp"

#include "caf/expected.hpp"
#include "caf/fwd.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// What a runtime is made from.
struct runtime_options {
  troupe::settings settings;
  /// The agents it can run, by their names; those that `settings.agents`
  /// names are loaded beside them.
  std::vector<agent> agents;
  /// Tools that agent files may name beside the built-in ones.
  std::vector<tool> tools;
  /// What relative paths count from; empty: the working directory.
  std::string folder;
  /// Models of the application: connection name -> actor.
  std::map<std::string, model_actor> models;
  /// Asked where a permission says so; may block. Empty: nobody is asked.
  std::function<permission_answer(const permission_request&)> on_ask;
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

  /// Starts a run and returns; `done` is called once, on a thread of the
  /// runtime, with its object or why it could not be started. For event loops
  /// of other kinds: have it post to yours.
  void start_async(run_request request,
                   std::function<void(caf::expected<run_object>)> done);

  /// Stored conversations, newest first.
  caf::expected<std::vector<session_summary>>
  sessions(const std::string& session_id = {});

  /// One stored conversation, repaired where a crash left it open.
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
