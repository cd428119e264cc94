#include "troupe/actors/sandbox/sandbox.hpp"

#include "troupe/actors/sandbox/describe.hpp"
#include "troupe/actors/sandbox/process_awaiter.hpp"
#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/settle.hpp"
#include "troupe/sandbox/process_plan.hpp"

#include <utility>

namespace troupe {

namespace {

using sandbox_ptr = sandbox_actor::stateful_pointer<sandbox_state>;
using opened_ptr = std::shared_ptr<open_files>;

bool is_virtual(const sandbox_state& state) {
  return state.spec.policy.provider == "virtual";
}

bool is_contained(const sandbox_settings& policy) {
  return policy.provider == "bubblewrap" || policy.provider == "native";
}

caf::expected<opened_ptr> open_disk(const sandbox_spec& spec) {
  auto where = workspace::open(spec.workspace, spec.folder);
  if (!where)
    return std::move(where.error());
  auto files = make_disk_file_space(*where, spec.policy);
  if (!files)
    return std::move(files.error());
  auto commands = is_contained(spec.policy)
                    ? spec.host->bubblewrap(*where, spec.policy)
                    : spec.host->unrestricted();
  if (!commands)
    return std::move(commands.error());
  auto result = std::make_shared<open_files>();
  result->where = std::move(*where);
  result->files = std::move(*files);
  result->commands = std::move(*commands);
  return result;
}

/// Opens what the policy names; the actor's first coroutine.
co::task<void> open(sandbox_ptr self) {
  auto& state = self->state;
  if (is_virtual(state)) {
    state.opened = std::make_shared<open_files>();
    state.opened->files = make_memory_file_space(state.spec.policy.limits);
  } else {
    auto call = std::function<caf::expected<opened_ptr>()>{
      [spec = state.spec] { return open_disk(spec); }};
    auto work = co::offload(self, *state.spec.pool, std::move(call));
    auto opened = co_await work;
    if (opened)
      state.opened = std::move(*opened);
    else
      state.failed = std::move(opened.error());
  }
  state.ready.set();
}

co::task<void> be_ready(sandbox_ptr self) {
  auto& state = self->state;
  co_await state.ready.wait(self);
  if (state.failed)
    throw co::failure{state.failed};
}

/// The turn of one call on the disk; the next one's when it goes.
class disk_turn {
public:
  explicit disk_turn(sandbox_state& state) : state_(state) {
    state_.is_busy = true;
    state_.is_free.reset();
  }

  disk_turn(const disk_turn&) = delete;
  disk_turn& operator=(const disk_turn&) = delete;

  ~disk_turn() {
    state_.is_busy = false;
    state_.is_free.set();
  }

private:
  sandbox_state& state_;
};

template <class R, class Request>
using file_call = caf::expected<R> (file_space::*)(const Request&);

/// One file operation: at once in memory, on the blocking pool on a disk.
template <class R, class Request>
co::task<R> work_on_file(sandbox_ptr self, file_call<R, Request> operation,
                         Request request) {
  co_await be_ready(self);
  auto& state = self->state;
  auto result = caf::expected<R>{R{}};
  if (is_virtual(state)) {
    result = ((*state.opened->files).*operation)(request);
  } else {
    while (state.is_busy)
      co_await state.is_free.wait(self);
    auto turn = disk_turn{state};
    auto call = std::function<caf::expected<R>()>{
      [opened = state.opened, operation, request = std::move(request)] {
        // One that was cancelled may still be at it.
        auto guard = std::lock_guard{opened->mutex};
        return ((*opened->files).*operation)(request);
      }};
    auto work = co::offload(self, *state.spec.pool, std::move(call));
    result = co_await work;
  }
  if (!result)
    throw co::failure{result.error()};
  co_return std::move(*result);
}

template <class R, class Request>
auto serve_file(sandbox_ptr self, file_call<R, Request> operation) {
  return [self, operation](Request& request) {
    return co::reply_with<R>(self,
                             work_on_file(self, operation, std::move(request)));
  };
}

co::task<process_result> run_command(sandbox_ptr self,
                                     process_request request) {
  co_await be_ready(self);
  auto& state = self->state;
  if (is_virtual(state))
    throw co::failure{errc::tool, "the virtual sandbox runs no commands"};
  const auto& policy = state.spec.policy;
  auto how = is_contained(policy) ? containment::sandbox : containment::none;
  auto spec = plan_process(request, *state.opened->where, policy,
                           host_environment(), how);
  if (!spec)
    throw co::failure{std::move(spec.error())};
  auto command = process_awaiter{self, state.opened->commands,
                                 std::move(*spec)};
  co_return co_await command;
}

co::task<sandbox_description> describe(sandbox_ptr self, describe_sandbox) {
  co_await be_ready(self);
  const auto& state = self->state;
  auto result = sandbox_description{};
  result.text = describe_policy(state.spec.policy, state.opened->where.get());
  co_return result;
}

/// Ends commands and calls, waits for them, then closes the workspace.
co::task<done> close(sandbox_ptr self, end_work) {
  auto& state = self->state;
  auto lingering = state.running.cancel_others();
  co_await co::settle(self, std::move(lingering));
  auto opened = std::exchange(state.opened, nullptr);
  auto failed = caf::error{};
  if (opened && opened->where) {
    auto call = std::function<caf::error()>{[opened] {
      opened->commands = nullptr; // waits for its sandboxes
      return opened->where->close();
    }};
    auto work = co::offload(self, *state.spec.pool, std::move(call));
    failed = co_await work;
  }
  self->quit();
  if (failed)
    throw co::failure{std::move(failed)};
  co_return done{};
}

} // namespace

sandbox_actor::behavior_type sandbox_behavior(sandbox_ptr self,
                                              sandbox_spec spec) {
  self->state.spec = std::move(spec);
  self->state.running.spawn(self, {}, open(self));
  return {
    serve_file(self, &file_space::read),
    serve_file(self, &file_space::list),
    serve_file(self, &file_space::glob),
    serve_file(self, &file_space::grep),
    serve_file(self, &file_space::write),
    serve_file(self, &file_space::replace),
    co::serve(self, run_command),
    co::serve(self, describe),
    co::serve(self, close),
    co::serve_cancel(self),
  };
}

caf::error check_sandbox(const sandbox_settings& policy) {
  const auto& provider = policy.provider;
  if (provider == "virtual" || provider == "unrestricted"
      || provider == "local")
    return {};
  if (!is_contained(policy))
    return make_error(errc::sandbox,
                      "the sandbox \"" + provider
                        + "\" is not available in this release",
                      {}, "virtual, unrestricted and native are");
  if (policy.network.mode == "allowlist")
    return make_error(errc::sandbox,
                      "the network mode \"allowlist\" is not available in "
                      "this release",
                      {}, "none and inherit are");
  auto host = find_bubblewrap_host();
  return host ? caf::error{} : std::move(host.error());
}

std::function<sandbox_actor(caf::actor_system&, const sandbox_settings&,
                            const workspace_settings&)>
make_sandbox_opener(std::string folder,
                    std::shared_ptr<co::blocking_pool> pool) {
  auto host = std::make_shared<sandbox_host>();
  return [folder = std::move(folder), pool = std::move(pool),
          host](caf::actor_system& system, const sandbox_settings& policy,
                const workspace_settings& where) {
    return system.spawn(sandbox_behavior,
                        sandbox_spec{policy, where, folder, pool, host});
  };
}

} // namespace troupe
