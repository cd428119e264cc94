#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/path_grants.hpp"

#include "caf/expected.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// What a sandbox shows of the host's system directories.
struct host_layout {
  /// Of the top-level directories of programs and libraries, such as /lib64:
  /// its link's target, or empty where it is a directory.
  std::map<std::string, std::string> system;
  /// Files and directories of /etc that ordinary programs read.
  std::vector<std::string> etc;
  /// Device files.
  std::vector<std::string> devices;
  uint32_t user = 0;
  uint32_t group = 0;
  /// Whether commands can be kept from abstract sockets that are not theirs.
  bool has_socket_scope = false;
  /// Whether a cgroup keeps the limits of memory and processes; where not, the
  /// init has to.
  bool has_cgroup = true;
};

/// Looks at this host.
host_layout look_at_host();

/// What a gateway answers on a socket of a sandbox.
enum class socket_use : uint8_t { proxy, dns, transparent, external };

/// How one sandbox is set up: what bubblewrap is called with (no value of an
/// environment and no secret among it), and what its init does after that.
struct bubblewrap_plan {
  std::vector<std::string> arguments;
  std::vector<char> setup;
  /// What the sockets are for that the init will send, in this order.
  std::vector<socket_use> sockets;

  bool operator==(const bubblewrap_plan&) const = default;
};

/// The programs that take part.
struct bubblewrap_programs {
  std::string bubblewrap;
  std::string init;
};

/// Where the proxy of a sandbox with a gateway listens, within it: a port that
/// no entry of an allowlist is about.
uint16_t proxy_port(const network_settings& network);

/// Plans a sandbox over `grants`, with `home` as its user's. Pure. Errors:
/// policy (a grant that cannot be given: the root directory, or a part of /dev,
/// /proc or /sys).
caf::expected<bubblewrap_plan>
plan_bubblewrap(const std::vector<path_grant>& grants,
                const sandbox_settings& policy, const std::string& home,
                const host_layout& host, const bubblewrap_programs& programs);

} // namespace troupe
