#pragma once

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/container/container_runner.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::test {

/// An engine that works here, and an image with busybox in it, made once from
/// the program of this host: nothing is fetched.
struct live_engine {
  std::string name;
  std::string image;
};

/// Null, with a warning that says why, where there is none.
const live_engine* find_live_engine();

/// A workspace, a policy for it, and a runner of containers.
struct live_containers {
  explicit live_containers(sandbox_settings policy,
                           std::map<std::string, std::string> paths = {});

  /// What a command says and how it ended.
  caf::expected<process_result> run(const std::string& script);

  process_spec shell(const std::string& script);

  temp_dir dir;
  sandbox_settings policy;
  std::shared_ptr<workspace> where;
  std::shared_ptr<process_runner> runner;
};

/// A policy for containers of that engine.
sandbox_settings container_policy(const live_engine& engine);

/// Calls the engine as a person would, and returns what it prints.
std::string ask_engine(const live_engine& engine,
                       const std::vector<std::string>& words);

} // namespace troupe::test
