#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/container/engine.hpp"
#include "troupe/sandbox/path_grants.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// Where our program in a container lies.
inline constexpr auto relay_path = "/troupe-relay";

/// A directory of this host that a container shows.
struct container_mount {
  std::string source;
  std::string target;
  file_access access = file_access::read_only;
  /// Of the directory that was opened; zeros: any.
  uint64_t device = 0;
  uint64_t inode = 0;
};

/// What a container is made from besides the policy.
struct container_facts {
  /// Our program, on this host.
  std::string relay;
  /// The writable home of commands, as they see it.
  std::string home;
  /// The most that processes here may have; no container can have more.
  uint64_t open_files = 1024;
  uint64_t processes = 1024;
};

/// The labels that tell our containers.
struct container_labels {
  /// Of one container, or the name under which it is found again.
  std::string id;
  /// The process it belongs to; empty where it outlives all.
  std::string owner;
};

/// How to make and use a container.
struct container_plan {
  /// `create …`, without the program.
  std::vector<std::string> create;
  /// What the relay is told to look at, in order.
  std::vector<container_mount> mounts;
  std::string home;
  /// A digest of all that makes it what it is but the image.
  std::string digest;
};

/// Where commands in a container see each grant, in order: the root at
/// /workspace, others at /workspaces/NAME, or inside the grant they lie within.
std::vector<std::string> container_paths(const std::vector<path_grant>& grants);

/// HOME of commands there: the path "home" where they may write it, or a folder
/// that is gone with the container.
std::string container_home(const std::vector<path_grant>& grants);

/// Whether the section asks for what a container can be given: each value is of
/// the form that its option has, and nothing in it is more than the policy.
/// Errors: configuration (a value), policy (more than it allows), sandbox (what
/// containers cannot do).
caf::error check_container(const sandbox_settings& policy);

/// Plans a container over `grants`. Pure: the same for the same arguments.
/// Errors: those of `check_container`, and policy (a path that cannot be
/// shown).
caf::expected<container_plan>
plan_container(const container_engine& engine,
               const std::vector<path_grant>& grants,
               const sandbox_settings& policy, const container_facts& facts,
               const container_labels& labels);

} // namespace troupe
