#include "troupe/actors/supervise/supervisor.hpp"

#include "troupe/actors/supervise/list_tree.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/task.hpp"
#include "troupe/runtime/co/when_all.hpp"

#include "caf/actor_system.hpp"
#include "caf/exit_reason.hpp"
#include "caf/send.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace troupe {

namespace {

using supervisor_ptr = supervisor_actor::stateful_pointer<supervisor_state>;

/// What the supervisor does of its own accord: nobody can cancel it.
constexpr auto own_work = co::frame_key{};

// -- starting ----------------------------------------------------------------

caf::error start(supervisor_ptr self, const child_ptr& child) {
  auto actor = caf::actor{};
  try {
    actor = child->spec.start(self->system());
  } catch (...) { // whatever the start function throws is a failed start
    return co::to_error(std::current_exception());
  }
  if (!actor)
    return make_error(errc::internal, "it was not started", child->spec.id);
  self->monitor(actor);
  self->state.children.started(child, std::move(actor));
  return {};
}

void begin_closing(supervisor_ptr self, caf::error reason);

void give_up(supervisor_ptr self, const child_ptr& child, std::string what) {
  child->state = child_state::failed;
  auto why = make_error(errc::internal, std::move(what), child->spec.id);
  begin_closing(self, std::move(why));
}

/// Whether one more failure of `child`, `why`, is one too many; then it is
/// over.
bool is_too_much(supervisor_ptr self, const child_ptr& child,
                 const caf::error& why) {
  if (self->state.restarts.admit(self->clock().now()))
    return false;
  give_up(self, child,
          "a child failed too often, at last with: " + to_fault(why).message);
  return true;
}

/// Starts an ended child; each failed start counts as one more failure.
void start_again(supervisor_ptr self, const child_ptr& child) {
  ++child->restarts;
  for (;;) {
    auto failed = start(self, child);
    if (!failed || is_too_much(self, child, failed))
      return;
  }
}

/// Whether `child` still waits to be started: meanwhile it may have been
/// stopped for good.
bool may_start(const child_ptr& child) {
  return child->listed && !child->leaving && !child->actor;
}

// -- stopping ----------------------------------------------------------------

/// Asks, waits, kills, waits. A child that has an actor afterwards could not
/// be ended.
co::task<void> stop(supervisor_ptr self, child_ptr child) {
  if (!child->actor)
    co_return;
  child->state = child_state::stopping;
  if (child->spec.grace.count() > 0) {
    self->send_exit(child->actor, caf::exit_reason::user_shutdown);
    auto ended = co_await child->ended.wait_for(self, child->spec.grace);
    if (ended)
      co_return;
  }
  child->killed = true;
  self->send_exit(child->actor, caf::exit_reason::kill);
  co_await child->ended.wait_for(self, self->state.spec.kill_timeout);
  if (child->actor)
    child->state = child_state::failed;
}

/// Stops `children`, which are in the reverse of their start order. Those
/// that were started at run time go first and together, the others one by one.
co::task<void> stop_in_order(supervisor_ptr self,
                             std::vector<child_ptr> children) {
  auto loose = std::vector<co::task<void>>{};
  for (auto& child : children)
    if (child->order == child_order::loose)
      loose.push_back(stop(self, child));
  co_await co::when_all(std::move(loose));
  for (auto& child : children)
    if (child->order == child_order::fixed)
      co_await stop(self, child);
}

/// Stops `child` for good.
co::task<void> retire(supervisor_ptr self, child_ptr child) {
  co_await stop(self, child);
  if (!child->actor)
    self->state.children.remove(child);
  child->left.set();
}

/// Has `child` retired once, however many ask for it.
void begin_retirement(supervisor_ptr self, const child_ptr& child) {
  if (std::exchange(child->leaving, true))
    return;
  self->state.running.spawn(self, own_work, retire(self, child));
}

// -- closing -----------------------------------------------------------------

std::vector<child_ptr> in_reverse(const child_table& children) {
  auto& list = children.in_order();
  return {list.rbegin(), list.rend()};
}

co::task<void> stop_all(supervisor_ptr self) {
  auto& state = self->state;
  auto children = in_reverse(state.children);
  co_await stop_in_order(self, children);
  for (auto& child : children)
    if (child->actor)
      state.outlived.push_back(child->spec.id);
  state.closed.set();
  self->quit(state.reason);
}

void begin_closing(supervisor_ptr self, caf::error reason) {
  if (std::exchange(self->state.closing, true))
    return;
  self->state.reason = std::move(reason);
  self->state.settled.set(); // who waits to start a child hears of it
  self->state.running.spawn(self, own_work, stop_all(self));
}

// -- restarting --------------------------------------------------------------

std::vector<child_ptr> in_order(const child_table& children) {
  auto& list = children.in_order();
  return {list.begin(), list.end()};
}

restart_plan plan_for(restart_strategy strategy, const child_ptr& failed,
                      const std::vector<child_ptr>& children) {
  auto kinds = std::vector<restart_kind>{};
  for (auto& child : children)
    kinds.push_back(child->spec.restart);
  auto position = std::find(children.begin(), children.end(), failed);
  auto index = static_cast<std::size_t>(position - children.begin());
  return plan_restart(strategy, index, kinds);
}

/// Makes a child that was stopped ready to start again; false when it did not
/// stop.
bool is_ready_again(supervisor_ptr self, const child_ptr& child) {
  if (child->actor) {
    give_up(self, child, "a child could not be ended");
    return false;
  }
  child->state = child_state::restarting;
  if (child->spec.restart == restart_kind::temporary)
    self->state.children.remove(child);
  return true;
}

/// Stops the children that `failed` takes down and starts them again with it.
co::task<void> restart_group(supervisor_ptr self, child_ptr failed) {
  auto& state = self->state;
  auto all = in_order(state.children);
  auto plan = plan_for(state.spec.strategy, failed, all);
  auto stopped = std::vector<child_ptr>{};
  for (auto i : plan.stop)
    stopped.push_back(all[i]);
  co_await stop_in_order(self, stopped);
  for (auto& child : stopped)
    if (state.closing || !is_ready_again(self, child))
      co_return;
  for (auto i : plan.start)
    if (!state.closing && may_start(all[i]))
      start_again(self, all[i]);
}

/// Works off the failures that came meanwhile, too.
co::task<void> restart_groups(supervisor_ptr self) {
  auto& failures = self->state.failures;
  while (!failures.empty() && !self->state.closing) {
    auto failed = std::move(failures.front());
    failures.pop_front();
    // It may have been started with an earlier one, or stopped for good.
    if (may_start(failed))
      co_await restart_group(self, std::move(failed));
  }
  self->state.settled.set();
}

void restart(supervisor_ptr self, const child_ptr& child,
             const caf::error& why) {
  auto& state = self->state;
  child->state = child_state::restarting;
  if (is_too_much(self, child, why))
    return;
  if (state.spec.strategy == restart_strategy::one_for_one
      || child->order == child_order::loose) {
    start_again(self, child);
    return;
  }
  state.failures.push_back(child);
  if (!state.settled.is_set())
    return;
  state.settled.reset();
  state.running.spawn(self, own_work, restart_groups(self));
}

/// The one place that learns of a child's end.
void child_ended(supervisor_ptr self, const caf::down_msg& down) {
  auto& state = self->state;
  auto child = state.children.find(down.source.id());
  if (child == nullptr)
    return;
  auto expected = child->state == child_state::stopping;
  state.children.ended(child);
  if (state.closing)
    state.children.remove(child);
  else if (expected)
    return; // whoever stops it goes on
  else if (child->leaving || !wants_restart(child->spec.restart, down.reason))
    state.children.remove(child);
  else
    restart(self, child, down.reason);
}

// -- answers -----------------------------------------------------------------

child_ptr child_called(supervisor_ptr self, const std::string& id) {
  auto child = self->state.children.find(id);
  if (child == nullptr)
    throw co::failure{errc::internal, "there is no such child", id};
  return child;
}

/// Lists a child before it runs, and no longer when it does not come to run:
/// its start fails, or whoever asks for it is cancelled.
class new_entry {
public:
  new_entry(child_table& children, child_ptr child)
    : children_(children),
      child_(std::move(child)) {
    children_.add(child_);
  }

  new_entry(const new_entry&) = delete;
  new_entry& operator=(const new_entry&) = delete;

  ~new_entry() {
    if (!child_->actor)
      children_.remove(child_);
  }

private:
  child_table& children_;
  child_ptr child_;
};

co::task<caf::actor> run_child(supervisor_ptr self, start_child request) {
  auto& state = self->state;
  auto id = request.spec.id;
  if (!request.spec.start)
    throw co::failure{errc::internal, "a child needs a start function", id};
  if (state.children.find(id) != nullptr)
    throw co::failure{errc::internal, "there is such a child already", id};
  auto child = std::make_shared<supervised_child>();
  child->spec = std::move(request.spec);
  child->order = child_order::loose;
  auto entry = new_entry{state.children, child};
  while (!state.settled.is_set())
    co_await state.settled.wait(self);
  if (state.closing || child->leaving)
    throw co::failure{errc::cancelled, "the supervisor stops it", id};
  auto failed = start(self, child);
  if (failed)
    throw co::failure{std::move(failed)};
  co_return child->actor;
}

co::task<stopped_child> end_child(supervisor_ptr self, stop_child request) {
  auto child = child_called(self, request.id);
  begin_retirement(self, child);
  co_await child->left.wait(self);
  if (child->actor)
    throw co::failure{errc::timeout, "the child could not be ended",
                      request.id};
  co_return stopped_child{child->killed};
}

co::task<caf::actor> give_child(supervisor_ptr self, find_child request) {
  auto child = child_called(self, request.id);
  if (!child->actor)
    throw co::failure{errc::internal, "the child does not run", request.id};
  co_return child->actor;
}

co::task<child_list> list_all(supervisor_ptr self, list_children request) {
  auto children = in_order(self->state.children);
  co_return co_await list_tree(self, std::move(children), request.limit);
}

co::task<done> end_all(supervisor_ptr self, end_work) {
  begin_closing(self, caf::exit_reason::normal);
  co_await self->state.closed.wait(self);
  auto& outlived = self->state.outlived;
  if (!outlived.empty())
    throw co::failure{errc::timeout, "a child could not be ended",
                      outlived.front()};
  co_return done{};
}

/// Adds and starts the children given at spawn; none is tried twice.
void start_all(supervisor_ptr self) {
  for (auto& spec : self->state.spec.children) {
    auto child = std::make_shared<supervised_child>();
    child->spec = std::move(spec);
    self->state.children.add(child);
    auto failed = start(self, child);
    if (!failed)
      continue;
    child->state = child_state::failed;
    self->send_exit(self, std::move(failed)); // not yet able to quit
    break;
  }
  self->state.spec.children.clear();
}

} // namespace

supervisor_state::~supervisor_state() {
  for (auto& child : children.in_order())
    if (child->actor)
      caf::anon_send_exit(child->actor, caf::exit_reason::kill);
}

supervisor_actor::behavior_type supervisor_behavior(supervisor_ptr self,
                                                    supervisor_spec spec) {
  auto& state = self->state;
  state.restarts = restart_window{spec.max_restarts, spec.period};
  state.spec = std::move(spec);
  state.settled.set();
  self->set_down_handler([self](caf::down_msg& x) { child_ended(self, x); });
  self->set_exit_handler(
    [self](caf::exit_msg& x) { begin_closing(self, x.reason); });
  start_all(self);
  return {
    co::serve(self, run_child),
    co::serve(self, end_child),
    co::serve(self, give_child),
    co::serve(self, list_all),
    [self](measure_mailbox) {
      return static_cast<int64_t>(self->mailbox().size());
    },
    co::serve(self, end_all),
    co::serve_cancel(self),
  };
}

} // namespace troupe
