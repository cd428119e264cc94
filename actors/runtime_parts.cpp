#include "troupe/actors/runtime_parts.hpp"

#include "troupe/actors/model/model_catalog.hpp"
#include "troupe/actors/permission/callback_approver.hpp"
#include "troupe/actors/run/run_registry.hpp"
#include "troupe/actors/sandbox/sandbox.hpp"
#include "troupe/actors/session/session_registry.hpp"
#include "troupe/actors/store/store.hpp"
#include "troupe/actors/supervise/supervisor.hpp"
#include "troupe/config/validate_settings.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/messages/register.hpp"
#include "troupe/runtime/model/cassette_writer.hpp"
#include "troupe/storage/process_identity.hpp"
#include "troupe/storage/store.hpp"

#include "caf/scoped_actor.hpp"
#include "caf/send.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

namespace troupe {

namespace {

/// How long runs may take to end with their runtime.
constexpr auto closing_time = std::chrono::seconds{30};

std::unique_ptr<caf::actor_system_config>
make_config(const concurrency_settings& settings) {
  auto result = std::make_unique<caf::actor_system_config>();
  register_messages(*result);
  auto workers = size_t{settings.workers};
  if (workers == 0)
    workers = std::max(1u, std::thread::hardware_concurrency());
  result->set("scheduler.max-threads", workers);
  // A mailbox that never empties keeps no worker from the others.
  result->set("scheduler.max-throughput", size_t{256});
  return result;
}

template <class T>
T or_throw(caf::expected<T> x) {
  if (!x)
    throw co::failure{std::move(x.error())};
  return std::move(*x);
}

store_actor start_store(caf::actor_system& system,
                        const storage_settings& settings) {
  using holder = std::unique_ptr<store>;
  if (settings.in_memory)
    return system.spawn(store_behavior,
                        std::make_shared<holder>(make_memory_store()));
  auto opened = make_lmdb_store(settings);
  if (!opened)
    throw co::failure{std::move(opened.error())};
  return system.spawn<caf::detached>(store_behavior, std::make_shared<holder>(
                                                       std::move(*opened)));
}

model_catalog_spec models_of(const runtime_options& options,
                             co::blocking_pool& pool) {
  auto result = model_catalog_spec{};
  result.settings = options.settings;
  result.folder = options.folder;
  result.models = options.models;
  result.record_to = options.record_to;
  result.pool = &pool;
  return result;
}

/// The settings as they are checked: a role may name a model of the
/// application, which is a connection that needs nothing.
settings with_own_models(const runtime_options& options) {
  auto result = options.settings;
  for (const auto& [name, model] : options.models) {
    auto& provider = result.providers[name];
    provider = provider_settings{};
    provider.adapter = "cassette";
  }
  return result;
}

/// Reads the file of a run that another process began.
auto file_loader(const run_catalog& known,
                 std::shared_ptr<const catalog_sources> sources) {
  auto catalog = std::make_shared<const run_catalog>(known);
  return [catalog, sources](const std::string& file) {
    return load_definition(file, *catalog, *sources);
  };
}

/// The root of the tree holds what runs share. None of it can be replaced
/// while runs hold on to it, so a crash of one is a crash of all: the root
/// ends with an error and so does whatever waits for an answer.
child_spec shared_child(std::string id, caf::actor actor) {
  auto result = child_spec{};
  result.id = std::move(id);
  result.start = [actor](caf::actor_system&) { return actor; };
  result.restart = restart_kind::transient;
  result.grace = closing_time;
  return result;
}

} // namespace

runtime::parts::parts(runtime_options options) {
  own_config_ = make_config(options.settings.concurrency);
  own_system_ = std::make_unique<caf::actor_system>(*own_config_);
  system_ = own_system_.get();
  start(std::move(options));
}

runtime::parts::parts(caf::actor_system& system, runtime_options options)
  : system_(&system) {
  start(std::move(options));
}

void runtime::parts::start(runtime_options options) {
  if (options.folder.empty())
    options.folder = std::filesystem::current_path().string();
  if (options.environment.empty())
    options.environment = process_environment();
  if (auto why = validate(with_own_models(options)))
    throw co::failure{why};
  pool_ = std::make_shared<co::blocking_pool>(
    options.settings.concurrency.blocking_pool);
  // Before anything runs: afterwards what was to be recorded would be lost.
  if (!options.record_to.empty())
    or_throw(recording_file(options.record_to));
  auto models = models_of(options, *pool_);
  sources_ = std::make_shared<const catalog_sources>(
    catalog_sources{models, options.tools, options.environment});
  auto own = own_definitions{std::move(options.agents),
                             std::move(options.workflows),
                             std::move(options.assemblies)};
  auto catalog
    = std::make_shared<run_catalog>(or_throw(load_catalog(own, *sources_)));
  catalog->load_file = file_loader(*catalog, sources_);
  catalog_ = catalog;
  auto services = std::make_shared<run_services>();
  services->settings = options.settings;
  services->folder = options.folder;
  services->owner = this_process();
  services->feed = std::make_shared<run_feed>();
  services->pool = pool_;
  services->is_recording = !options.record_to.empty();
  services->log = options.on_log ? std::move(options.on_log) : log_to_stderr();
  services->store = start_store(*system_, options.settings.storage);
  services->models = system_->spawn(model_catalog_behavior, std::move(models));
  services->sessions = system_->spawn(session_registry_behavior,
                                      session_registry_spec{services->store});
  if (options.on_ask)
    services->approver = system_->spawn(callback_approver_behavior,
                                        std::move(options.on_ask), pool_);
  services->open_sandbox = make_sandbox_opener(*system_, options.folder, pool_);
  services->callbacks = std::move(options.workspace_callbacks);
  services_ = services;
  runs_ = system_->spawn(run_registry_behavior,
                         run_registry_spec{services_, std::move(catalog)});
  auto tree = supervisor_spec{};
  tree.strategy = restart_strategy::one_for_all;
  tree.max_restarts = 0;
  auto add = [&](const char* id, const auto& actor) {
    tree.children.push_back(
      shared_child(id, caf::actor_cast<caf::actor>(actor)));
  };
  add("store", services_->store);
  add("models", services_->models);
  add("sessions", services_->sessions);
  if (services_->approver)
    add("approver", services_->approver);
  add("runs", runs_);
  root_ = system_->spawn(supervisor_behavior, std::move(tree));
}

local_ptr<const run_definition>
runtime::parts::make_definition(const assembly& one) const {
  auto made = or_throw(troupe::make_definition(one, *catalog_, *sources_));
  return local_ptr<const run_definition>{
    std::make_shared<const run_definition>(std::move(made))};
}

run_worker_actor runtime::parts::start_worker(worker_options options) {
  auto worker = system_->spawn(
    run_worker_behavior, run_worker_spec{services_, runs_, std::move(options)});
  auto guard = std::lock_guard{workers_mutex_};
  workers_.push_back(worker);
  return worker;
}

runtime::parts::~parts() {
  if (!root_)
    return; // nothing was started
  caf::scoped_actor self{*system_};
  // Runs and models take their time; the rest ends at once.
  auto ignore = [](const caf::error&) {
    // A registry that has died has nothing left to end.
  };
  // A worker waits for its runs, which end with the registry.
  for (const auto& worker : workers_)
    self->send(worker, end_work{});
  self->request(runs_, closing_time, end_work{}).receive([](done) {}, ignore);
  for (const auto& worker : workers_)
    self->send_exit(worker, caf::exit_reason::kill);
  self->request(services_->models, closing_time, end_work{})
    .receive([](done) {}, ignore);
  self->monitor(root_);
  self->send_exit(root_, caf::exit_reason::user_shutdown);
  self->receive([](const caf::down_msg&) {});
}

} // namespace troupe
