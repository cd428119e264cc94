#pragma once

#include "troupe/actors/assembly_builder.hpp"
#include "troupe/actors/workflow/checkpoint_step.hpp"
#include "troupe/runtime/co/blocking_pool.hpp"
#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/co/task.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/timespan.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// A file for the workspace of a run.
struct staged_file {
  /// Relative to the workspace root, or "workspace://NAME/…".
  std::string path;
  std::string content;
};

/// One of the questions of `workflow_context::parallel`.
struct participant_call {
  member who;
  std::string input;
};

/// What a workflow works with. A cheap handle, passed by value; valid until
/// the run has ended, and to be used by the workflow's coroutines alone.
///
/// A run that is gone on with enters its workflow from the top: checkpoints
/// that are stored are skipped, agents go on from their journals, and what
/// stands between them happens again.
///
/// Names are checked before anything is done under them, and each is used once
/// in a run: errors are `co::failure` of kind configuration.
class workflow_context {
public:
  /// The run's ids, and the application's values of the request.
  const troupe::invocation& invocation() const noexcept;

  /// What was said in the conversation of the run, its own input last. A step
  /// has none.
  const std::vector<chat_message_ptr>& conversation() const noexcept;

  /// The actor that the workflow runs in, for `co::request` and the like.
  workflow_actor::pointer self() const noexcept;

  /// Adds an event `custom` with `{"type": type, "data": data}`. `data` is the
  /// text of a JSON value. Throws `co::failure` where it is none, and where
  /// `type` is one that runs have themselves.
  void emit(const std::string& type, const std::string& data = "{}") const;

  /// Runs `f` once for the run, whatever becomes of its process, and gives its
  /// value: `f` runs, its value is stored, and from then on it is what this
  /// call gives. Between the two a crash makes it run again.
  ///
  /// `f` is a function without parameters, which runs on the pool and may
  /// block, or makes a `co::task` from a `workflow_context`, whose agents and
  /// checkpoints are then those of this checkpoint. Its value is whatever
  /// `described.hpp` knows, `raw_json`, or nothing. What it throws is recorded
  /// and thrown here.
  template <class F>
  co::task<detail::step_value<F>> checkpoint(std::string name, F f) const;

  /// Runs independent checkpoints, at most `limit` at once; gives their values
  /// in order. Each is stored as soon as it is there. When one fails the others
  /// go on; then its failure, or the first of several, is thrown.
  template <class R>
  co::task<std::vector<R>> checkpoint_all(std::vector<checkpoint_step<R>> steps,
                                          std::size_t limit = 4) const;

  /// Ends the run's work here until somebody goes on with it, and gives the
  /// JSON text that he brought ("null" when none). Until then the run is a
  /// record in the store. `resume_key` is for whoever looks for what to bring;
  /// the same one may be used again. Not inside a checkpoint, and not beside
  /// other work.
  co::task<std::string> suspend(std::string reason,
                                std::string resume_key = {}) const;

  /// The JSON text that the last `runs resume` brought; empty before any.
  const std::string& resume_input() const noexcept;

  /// Keeps `content` as an artifact of the run.
  co::task<void>
  artifact(std::string name, std::string content,
           std::string media_type = "text/plain; charset=utf-8") const;

  /// Keeps a text file of the workspace as an artifact.
  co::task<void> artifact_from_file(std::string name, std::string path,
                                    std::string media_type
                                    = "text/plain; charset=utf-8") const;

  /// Keeps a Mustache template, filled in with a JSON object's text, as an
  /// artifact. The template is the workflow's; what a model said belongs in
  /// the values, which are never read as a template.
  co::task<void> artifact_from_template(std::string name, std::string text,
                                        std::string values,
                                        std::string media_type
                                        = "text/plain; charset=utf-8") const;

  /// Writes files into the workspace, over what is there.
  co::task<void> stage(std::vector<staged_file> files) const;

  /// Writes the run's artifacts into the workspace under their names, which
  /// are the result: a workspace in memory is empty when a run is gone on
  /// with.
  co::task<std::vector<std::string>> restore_artifacts() const;

  /// Asks an agent or an assembly of the runtime as a step of this run, with a
  /// timeout and retries where `who` has them; otherwise as `run_agent`.
  co::task<std::string> invoke(member who, std::string input) const;

  /// The same for whoever gives the run its answer: readers see it as it comes.
  co::task<std::string> answer(member who, std::string input) const;

  /// Asks several at once, at most `limit`; gives their answers in order. The
  /// first failure is thrown, and ends those that still work.
  co::task<std::vector<std::string>>
  parallel(std::vector<participant_call> calls, std::size_t limit = 4) const;

  /// Runs an agent as a step of this run: in the run's sandbox unless the agent
  /// names one of its own, in a conversation of its own, its usage counted in
  /// the run's. Gives its response; throws why it has none. A run that is gone
  /// on with goes on in that conversation, and where the agent had ended, has
  /// its response; `prompt` counts the first time. Where a call of the agent
  /// waits for a person, so does the run.
  co::task<std::string> run_agent(std::string agent, std::string prompt) const;

  /// The run's files and commands.
  co::task<sandbox_actor> sandbox() const;

  /// `co_await flow.sleep(1s)`.
  co::sleep_awaiter sleep(caf::timespan delay) const;

  /// `co_await flow.offload<R>(function)`: runs a blocking call on the
  /// runtime's pool.
  template <class R>
  co::offload_awaiter<R> offload(std::function<R()> function) const {
    return co::offload<R>(scheduled(), pool(), std::move(function));
  }

  /// Where in a run a context stands; for the run's actor.
  struct place;

  explicit workflow_context(std::shared_ptr<place> where)
    : place_(std::move(where)) {
    // nop
  }

  place& where() const noexcept {
    return *place_;
  }

private:
  caf::scheduled_actor* scheduled() const noexcept;
  co::blocking_pool& pool() const noexcept;

  std::shared_ptr<place> place_;
};

namespace detail {

co::task<std::string> run_checkpoint(workflow_context flow, std::string name,
                                     checkpoint_body body);

co::task<std::vector<std::string>>
run_checkpoints(workflow_context flow, std::vector<std::string> names,
                std::vector<checkpoint_body> bodies, std::size_t limit);

template <class R>
co::task<R>
read_checkpoint(workflow_context flow, std::string name, checkpoint_body body) {
  auto text = co_await run_checkpoint(flow, std::move(name), std::move(body));
  if constexpr (!std::is_void_v<R>)
    co_return value_of<R>(text);
}

template <class R>
co::task<std::vector<R>> read_checkpoints(workflow_context flow,
                                          std::vector<checkpoint_step<R>> steps,
                                          std::size_t limit) {
  auto names = std::vector<std::string>{};
  auto bodies = std::vector<checkpoint_body>{};
  for (auto& step : steps) {
    names.push_back(step.name());
    bodies.push_back(step.body());
  }
  auto texts = co_await run_checkpoints(flow, std::move(names),
                                        std::move(bodies), limit);
  auto result = std::vector<R>{};
  for (const auto& text : texts)
    result.push_back(value_of<R>(text));
  co_return result;
}

template <class F>
checkpoint_body body_of_coroutine(F f) {
  using step = step_result<F>;
  static_assert(step::is_task, "what takes a context makes a co::task");
  return [f = std::move(f)](workflow_context flow) mutable {
    return give_text<typename step::type>(f(std::move(flow)));
  };
}

template <class F>
checkpoint_body body_of_function(F f) {
  static_assert(!step_result<F>::is_task,
                "what makes a co::task takes a workflow_context, which knows "
                "the checkpoint");
  auto call = std::function<std::string()>{
    [f = std::move(f)]() mutable { return call_for_text(f); }};
  return [call = std::move(call)](workflow_context flow) {
    return run_on_pool(std::move(flow), call);
  };
}

template <class F>
checkpoint_body make_body(F f) {
  if constexpr (takes_context<F>)
    return body_of_coroutine(std::move(f));
  else
    return body_of_function(std::move(f));
}

} // namespace detail

template <class F>
co::task<detail::step_value<F>>
workflow_context::checkpoint(std::string name, F f) const {
  return detail::read_checkpoint<detail::step_value<F>>(
    *this, std::move(name), detail::make_body(std::move(f)));
}

template <class R>
co::task<std::vector<R>>
workflow_context::checkpoint_all(std::vector<checkpoint_step<R>> steps,
                                 std::size_t limit) const {
  return detail::read_checkpoints<R>(*this, std::move(steps), limit);
}

} // namespace troupe
