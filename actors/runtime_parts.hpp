#pragma once

#include "troupe/actors/definition_catalog.hpp"
#include "troupe/actors/run/run_services.hpp"
#include "troupe/actors/runtime.hpp"
#include "troupe/runtime/messages/supervise_messages.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace troupe {

/// What a runtime is made of. The order of the members is that of their
/// start; they end in reverse.
class runtime::parts {
public:
  explicit parts(runtime_options options);
  parts(caf::actor_system& system, runtime_options options);
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;
  ~parts();

  caf::actor_system& system() const noexcept {
    return *system_;
  }

  const store_actor& store() const noexcept {
    return services_->store;
  }

  const run_services_ptr& services() const noexcept {
    return services_;
  }

  const run_registry_actor& runs() const noexcept {
    return runs_;
  }

  /// Checks an assembly that was made at run time. Throws `co::failure`.
  local_ptr<const run_definition> make_definition(const assembly& one) const;

  /// Starts a worker that ends with the runtime.
  run_worker_actor start_worker(worker_options options);

  const supervisor_actor& root() const noexcept {
    return root_;
  }

private:
  void start(runtime_options options);

  std::unique_ptr<caf::actor_system_config> own_config_;
  std::unique_ptr<caf::actor_system> own_system_;
  caf::actor_system* system_ = nullptr;
  std::shared_ptr<co::blocking_pool> pool_;
  run_services_ptr services_;
  run_catalog_ptr catalog_;
  std::shared_ptr<const catalog_sources> sources_;
  run_registry_actor runs_;
  supervisor_actor root_;
  std::mutex workers_mutex_;
  std::vector<run_worker_actor> workers_;
};

} // namespace troupe
