#include "troupe/actors/sandbox/sandbox.hpp"

#include "troupe/actors/sandbox/process.hpp"
#include "troupe/actors/sandbox/process_awaiter.hpp"
#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/settle.hpp"
#include "troupe/sandbox/instructions.hpp"
#include "troupe/sandbox/memory_tree.hpp"
#include "troupe/sandbox/process_plan.hpp"

#include <limits>
#include <utility>

namespace troupe {

namespace {

using sandbox_ptr = sandbox_actor::stateful_pointer<sandbox_state>;
using opened_ptr = std::shared_ptr<open_files>;

// The store of artifacts has bounds of its own.
constexpr auto no_capacity_limit = std::numeric_limits<uint64_t>::max();

bool is_virtual(const sandbox_state& state) {
  return state.spec.authority.policy.provider == "virtual";
}

caf::expected<opened_ptr> open_remote(const sandbox_spec& spec) {
  auto made = spec.host->open_remote(spec.authority.policy);
  if (!made)
    return std::move(made.error());
  auto result = std::make_shared<open_files>();
  result->files = std::move(made->files);
  result->commands = std::move(made->commands);
  return result;
}

caf::expected<opened_ptr> open_disk(const sandbox_spec& spec) {
  if (is_remote(spec.authority.policy))
    return open_remote(spec);
  auto where = caf::expected<std::shared_ptr<workspace>>{spec.lent};
  if (!spec.lent)
    where = workspace::open(spec.workspace, spec.folder, spec.callbacks);
  if (!where)
    return std::move(where.error());
  auto files = make_disk_file_space(*where, spec.authority.policy);
  if (!files)
    return std::move(files.error());
  auto commands = spec.host->runner_for(*where, spec.authority.policy,
                                        spec.network);
  if (!commands)
    return std::move(commands.error());
  auto result = std::make_shared<open_files>();
  // A scope is a view: what is stored is its sandbox's.
  const auto* artifacts = (*where)->find("artifacts");
  if (artifacts != nullptr && !spec.lent)
    result->artifacts = std::make_unique<artifact_store>(
      make_disk_artifacts(artifacts->descriptor),
      spec.authority.policy.artifacts);
  result->where = std::move(*where);
  result->files = std::move(*files);
  result->commands = std::move(*commands);
  return result;
}

opened_ptr open_memory(const sandbox_settings& policy) {
  auto stored = std::make_shared<memory_tree>(no_capacity_limit);
  auto result = std::make_shared<open_files>();
  result->files = make_memory_file_space(policy.limits, stored);
  result->artifacts = std::make_unique<artifact_store>(
    make_memory_artifacts(std::move(stored)), policy.artifacts);
  return result;
}

/// Opens what the policy names; the actor's first coroutine.
co::task<void> open(sandbox_ptr self) {
  auto& state = self->state;
  if (is_virtual(state)) {
    state.opened = open_memory(state.spec.authority.policy);
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

template <class R>
using file_call = std::function<caf::expected<R>(open_files&)>;

void require(const sandbox_state& state, sandbox_capability needed) {
  if (!state.spec.authority.may(needed))
    throw co::failure{errc::policy,
                      "this sandbox does not allow " + to_string(needed)};
}

/// One operation on files: at once in memory, on the blocking pool on a disk.
template <class R>
co::task<R> work_on_files(sandbox_ptr self, sandbox_capability needed,
                          file_call<R> operation) {
  require(self->state, needed);
  co_await be_ready(self);
  auto& state = self->state;
  auto result = caf::expected<R>{R{}};
  if (is_virtual(state)) {
    result = operation(*state.opened);
  } else {
    while (state.is_busy)
      co_await state.is_free.wait(self);
    auto turn = disk_turn{state};
    auto call = std::function<caf::expected<R>()>{
      [opened = state.opened, operation = std::move(operation)] {
        // One that was cancelled may still be at it.
        auto guard = std::lock_guard{opened->mutex};
        return operation(*opened);
      }};
    auto work = co::offload(self, *state.spec.pool, std::move(call));
    result = co_await work;
  }
  if (!result)
    throw co::failure{result.error()};
  co_return std::move(*result);
}

template <class R, class Request>
using space_call = caf::expected<R> (file_space::*)(const Request&);

template <class R, class Request>
auto serve_file(sandbox_ptr self, space_call<R, Request> operation,
                sandbox_capability needed) {
  return [self, operation, needed](Request& request) {
    auto call = file_call<R>{
      [operation, request = std::move(request)](open_files& opened) {
        return ((*opened.files).*operation)(request);
      }};
    return co::reply_with<R>(self,
                             work_on_files(self, needed, std::move(call)));
  };
}

caf::expected<stored_artifacts> store(open_files& opened,
                                      const store_artifacts& x) {
  if (opened.artifacts)
    return opened.artifacts->store(x);
  return make_error(errc::configuration,
                    "this sandbox has no place for artifacts",
                    "workspace.paths", "name one: artifacts: artifacts");
}

auto serve_store(sandbox_ptr self) {
  return [self](store_artifacts& x) {
    auto call = file_call<stored_artifacts>{
      [x = std::move(x)](open_files& opened) { return store(opened, x); }};
    return co::reply_with<stored_artifacts>(
      self, work_on_files(self, sandbox_capability::filesystem_write,
                          std::move(call)));
  };
}

/// What is run for a request, where the sandbox runs commands at all.
process_spec command_for(sandbox_state& state, const process_request& request) {
  require(state, sandbox_capability::process_run);
  if (!state.opened->commands)
    throw co::failure{errc::tool, "the virtual sandbox runs no commands"};
  const auto& policy = state.spec.authority.policy;
  auto spec = plan_command(request, state.opened->where.get(), policy);
  if (!spec)
    throw co::failure{std::move(spec.error())};
  spec->can_spawn = state.spec.authority.may(sandbox_capability::process_spawn);
  return std::move(*spec);
}

co::task<process_result> run_command(sandbox_ptr self,
                                     process_request request) {
  co_await be_ready(self);
  auto& state = self->state;
  auto command = process_awaiter{self, state.opened->commands,
                                 command_for(state, request)};
  co_return co_await command;
}

template <class Handle>
void forget_ended(std::vector<Handle>& those) {
  std::erase_if(those, [](const Handle& one) {
    auto* control = caf::actor_cast<caf::actor_control_block*>(one);
    return control->get()->getf(caf::abstract_actor::is_terminated_flag);
  });
}

/// Starts a command that `owner` talks with.
co::task<process_handle> start(sandbox_ptr self, caf::strong_actor_ptr owner,
                               start_process x) {
  co_await be_ready(self);
  auto& state = self->state;
  auto request = process_request{x.argv, x.directory, x.timeout, {}};
  auto spec = process_actor_spec{};
  spec.command = command_for(state, request);
  auto thread = state.spec.host->thread();
  if (!thread)
    throw co::failure{std::move(thread.error())};
  auto size = std::optional<terminal_size>{};
  if (x.pty)
    size = terminal_size{x.rows, x.columns};
  auto io = process_io::make(*thread, size);
  if (!io)
    throw co::failure{std::move(io.error())};
  spec.io = std::move(*io);
  spec.command.stdio = spec.io->stdio();
  spec.runner = state.opened->commands;
  spec.owner = std::move(owner);
  forget_ended(state.processes);
  auto process = self->spawn(process_behavior, std::move(spec));
  state.processes.push_back(process);
  co_return process_handle{std::move(process)};
}

auto serve_start(sandbox_ptr self) {
  return [self](start_process& x) {
    auto owner = self->current_sender();
    return co::reply_with<process_handle>(self, start(self, std::move(owner),
                                                      std::move(x)));
  };
}

/// A reduced view: a sandbox of its own over the same workspace.
co::task<opened_scope> open_scoped(sandbox_ptr self, open_scope x) {
  co_await be_ready(self);
  auto& state = self->state;
  auto less = narrow(state.spec.authority, x.scope);
  if (!less)
    throw co::failure{std::move(less.error())};
  if (!state.opened->where)
    throw co::failure{errc::sandbox, "the "
                                       + state.spec.authority.policy.provider
                                       + " sandbox has no scopes"};
  auto spec = state.spec;
  spec.authority = std::move(*less);
  spec.lent = state.opened->where;
  forget_ended(state.scopes);
  auto scope = self->spawn(sandbox_behavior, std::move(spec));
  state.scopes.push_back(scope);
  co_return opened_scope{caf::actor_cast<caf::strong_actor_ptr>(scope)};
}

co::task<sandbox_description> describe(sandbox_ptr self, describe_sandbox) {
  co_await be_ready(self);
  const auto& state = self->state;
  auto result = sandbox_description{};
  result.text = instructions(state.spec.authority);
  co_return result;
}

/// Asks each to end and waits for it; one that is gone already is fine.
template <class Handle>
co::task<void> end_each(sandbox_ptr self, std::vector<Handle> those) {
  for (auto& one : those) {
    auto asked = co::request<done>(self, one, caf::infinite, end_work{});
    try {
      co_await asked;
    } catch (const co::failure&) { // it has ended
      continue;
    }
  }
}

/// Ends commands and calls, waits for them, then closes the workspace.
co::task<done> close(sandbox_ptr self, end_work) {
  auto& state = self->state;
  auto lingering = state.running.cancel_others();
  co_await co::settle(self, std::move(lingering));
  auto scopes = end_each(self, std::exchange(state.scopes, {}));
  co_await std::move(scopes);
  auto processes = end_each(self, std::exchange(state.processes, {}));
  co_await std::move(processes);
  auto opened = std::exchange(state.opened, nullptr);
  auto failed = caf::error{};
  if (opened && opened->commands) {
    auto is_ours = state.spec.lent == nullptr && opened->where;
    auto call = std::function<caf::error()>{[opened, is_ours] {
      opened->commands = nullptr; // waits for its sandboxes
      auto guard = std::lock_guard{opened->mutex};
      opened->files = nullptr; // a remote one closes
      return is_ours ? opened->where->close() : caf::error{};
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
  using may = sandbox_capability;
  self->state.spec = std::move(spec);
  self->state.running.spawn(self, {}, open(self));
  return {
    serve_file(self, &file_space::read, may::filesystem_read),
    serve_file(self, &file_space::list, may::filesystem_list),
    serve_file(self, &file_space::glob, may::filesystem_list),
    serve_file(self, &file_space::grep, may::filesystem_read),
    serve_file(self, &file_space::write, may::filesystem_write),
    serve_file(self, &file_space::replace, may::filesystem_write),
    serve_store(self),
    co::serve(self, run_command),
    serve_start(self),
    co::serve(self, open_scoped),
    co::serve(self, describe),
    co::serve(self, close),
    co::serve_cancel(self),
  };
}

sandbox_opener make_sandbox_opener(caf::actor_system& system,
                                   std::string folder,
                                   std::shared_ptr<co::blocking_pool> pool) {
  auto host = std::make_shared<sandbox_host>();
  return [&system, folder = std::move(folder), pool = std::move(pool),
          host](sandbox_order order) {
    auto spec = sandbox_spec{};
    spec.authority.policy = std::move(order.policy);
    spec.workspace = std::move(order.workspace);
    spec.callbacks = std::move(order.callbacks);
    spec.folder = folder;
    spec.pool = pool;
    spec.host = host;
    spec.network = report_network(order.run);
    return system.spawn(sandbox_behavior, std::move(spec));
  };
}

} // namespace troupe
