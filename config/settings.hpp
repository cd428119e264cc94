#pragma once

#include "troupe/config/agent_settings.hpp"
#include "troupe/config/model_settings.hpp"
#include "troupe/config/sandbox_settings.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace troupe {

/// When a commit is acknowledged.
enum class durability : uint8_t {
  /// After the disk has it.
  full,
  /// After the operating system has it.
  relaxed,
};

/// Where sessions and runs are kept.
struct storage_settings {
  /// Keeps everything in this process and writes no file.
  bool in_memory = false;
  /// A folder, created when missing.
  std::string path = ".troupe";
  /// The most the store may grow to, in bytes of address space.
  uint64_t map_size = 16ull << 30;
  troupe::durability durability = durability::full;
};

/// How much runs at once.
struct concurrency_settings {
  /// Scheduler threads; 0 takes one a processor.
  uint32_t workers = 0;
  /// Threads for blocking calls; at least 1.
  uint32_t blocking_pool = 2;
  /// Top-level runs at once; more wait in order. At least 1.
  uint32_t max_in_flight = 8;
  /// Tool calls of one turn at once; at least 1.
  uint32_t tool_calls = 8;
};

/// Everything a runtime is started with: `troupe.yaml` as a value. Immutable
/// once a runtime has it. A default-constructed one is complete.
struct settings {
  std::map<std::string, provider_settings> providers;
  std::map<std::string, model_role> models;
  /// A role or a target; empty: each agent names its model.
  std::string default_model;
  /// The folder that the FILE of a default "cassette:FILE" counts from; empty:
  /// the working directory.
  std::string default_model_folder;
  storage_settings storage;
  workspace_settings workspace;
  sandbox_settings sandbox;
  permission_settings permissions;
  concurrency_settings concurrency;
  limit_settings limits;
  /// Name -> path of an agent file, absolute.
  std::map<std::string, std::string> agents;
};

} // namespace troupe
