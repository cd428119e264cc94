#pragma once

#include "support/temp_dir.hpp"

#include "troupe/sandbox/bubblewrap_runner.hpp"
#include "troupe/sandbox/unique_fd.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::test {

/// A workspace, and beside it what no command in a sandbox may reach: a secret
/// file, a process, listeners, shared memory, and descriptors that this process
/// left open for its children. All of it ends with the object.
class attacked_host {
public:
  attacked_host();
  attacked_host(const attacked_host&) = delete;
  attacked_host& operator=(const attacked_host&) = delete;
  ~attacked_host();

  /// What the attacks need to know, as variables.
  std::map<std::string, std::string> variables() const;

  std::string workspace_path() const;

  /// A policy over the workspace, with the members of `changes` (JSON) in place
  /// of the usual ones.
  sandbox_settings policy(const std::string& changes, bool warm) const;

  /// The workspace as `policy` names it.
  std::shared_ptr<workspace> open(const sandbox_settings& policy) const;

  /// What has come to harm; empty: nothing.
  std::string damage() const;

  /// What no output may show.
  const std::string& secret() const noexcept {
    return secret_;
  }

  /// The terminal's end for a command.
  std::shared_ptr<unique_fd> terminal() const;

private:
  void listen();
  void leave_open();
  std::string look_outside() const;

  temp_dir top_;
  std::string secret_;
  pid_t victim_ = -1;
  int shared_ = -1;
  uint16_t port_ = 0;
  unique_fd streams_;
  unique_fd datagrams_;
  unique_fd abstract_;
  unique_fd terminal_;
  std::vector<unique_fd> leaked_;
  std::string outside_before_;
};

/// Whether bubblewrap sandboxes can be opened here; says so where not.
bool can_open_sandboxes();

/// Whether this kernel can keep signals within a command.
bool has_scopes();

/// The parts of this host, which must be there.
bubblewrap_host host_parts();

} // namespace troupe::test
