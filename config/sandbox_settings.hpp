#pragma once

#include "troupe/config/secret.hpp"

#include "caf/timespan.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// What a holder may do with a named path.
enum class file_access : uint8_t { read_only, read_write };

/// Where a run's files live.
struct workspace_settings {
  /// directory | temporary.
  std::string provider = "directory";
  /// Relative to the working directory of the program.
  std::string root = ".";
  /// Name -> path; relative ones are created under the root, absolute ones
  /// must exist.
  std::map<std::string, std::string> paths;
};

/// Bounds of one command and of the file operations; sizes in bytes.
struct sandbox_limits {
  caf::timespan wall = std::chrono::seconds{120};
  caf::timespan cpu = std::chrono::seconds{60};
  uint64_t memory = 512ull << 20;
  uint32_t processes = 128;
  uint32_t open_files = 256;
  uint64_t file = 64ull << 20;
  uint64_t tmp = 64ull << 20;
  /// Captured output of a command.
  uint64_t output = 1ull << 20;
  /// One file read, written or a listing's entries.
  uint64_t read = 1'000'000;
  uint64_t write = 1'000'000;
  uint32_t list = 10'000;
};

/// Bounds of what a run stores under the named path `artifacts`; sizes in
/// bytes.
struct artifact_limits {
  /// One file.
  uint64_t file = 16ull << 20;
  /// The files of one message of a model: those of all calls of one turn.
  uint64_t message = 32ull << 20;
  /// All of a run.
  uint64_t run = 256ull << 20;
  /// Files of a run.
  uint32_t files = 256;
};

/// One network rule set; `allow` counts in mode allowlist only, `gateway` in
/// mode external.
struct network_settings {
  /// none | inherit | allowlist | external.
  std::string mode = "none";
  /// `host:port` or `*.domain:port`; see `parse_allow_entry`.
  std::vector<std::string> allow;
  /// Whether allowed names may resolve to private addresses.
  bool allow_private = false;
  /// `host:port` of somebody else's gateway, the only way out; nobody here
  /// looks at what it lets through.
  std::string gateway;
};

/// What a container backend is started with.
struct container_settings {
  std::string engine = "docker";
  std::string image;
  std::map<std::string, std::string> binds;
  std::string network = "none";
  std::vector<std::string> cap_add;
  bool readonly_rootfs = true;
  uint32_t pids_limit = 512;
  std::optional<uint64_t> memory;
  std::optional<double> cpus;
  std::optional<std::string> user;
  std::map<std::string, std::string> env;
  std::optional<std::string> name;
  bool reconnect = false;
};

/// How a remote sandbox is spoken with: over the standard streams of a program,
/// or over HTTP. One of the two.
struct remote_settings {
  /// Found on PATH, or absolute; runs on this host with its environment.
  std::vector<std::string> command;
  /// http://HOST[:PORT]/PATH
  std::string url;
  /// Of each request.
  std::map<std::string, secret> headers;
};

/// The `sandbox:` section: what tools and commands of a run may touch.
struct sandbox_settings {
  /// virtual | unrestricted (alias local) | native | bubblewrap | seatbelt |
  /// container | remote.
  std::string provider = "virtual";
  /// Named workspace paths seen by tools and processes.
  std::map<std::string, file_access> files
    = {{"root", file_access::read_write}};
  /// Seen by processes only.
  std::map<std::string, file_access> runtime_paths;
  /// Those of the paths above whose Unix sockets commands may connect to;
  /// without one, commands have no sockets of that family.
  std::vector<std::string> unix_sockets;
  /// isolated | read_only | read_write.
  std::string root_filesystem = "isolated";
  bool inherit_environment = false;
  std::map<std::string, std::string> environment;
  network_settings network;
  sandbox_limits limits;
  artifact_limits artifacts;
  bool warm = true;
  std::optional<container_settings> container;
  std::optional<remote_settings> remote;
  std::optional<workspace_settings> workspace;
};

} // namespace troupe
