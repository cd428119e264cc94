#pragma once

#include "troupe/config/sandbox_settings.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace troupe {

/// What a holder may ask of a sandbox at all.
enum class sandbox_capability : uint8_t {
  filesystem_read,
  filesystem_list,
  filesystem_write,
  /// Run commands.
  process_run,
  /// Commands may start processes of their own; threads they always may.
  process_spawn,
};

/// The name in messages and files, as above.
std::string to_string(sandbox_capability x);

/// Whether a sandbox of this policy can do `x` at all, whoever asks.
bool supports(const sandbox_settings& policy, sandbox_capability x);

/// What somebody holds of a sandbox.
struct sandbox_authority {
  sandbox_settings policy;
  std::set<sandbox_capability> capabilities
    = {sandbox_capability::filesystem_read, sandbox_capability::filesystem_list,
       sandbox_capability::filesystem_write, sandbox_capability::process_run,
       sandbox_capability::process_spawn};

  bool may(sandbox_capability x) const {
    return capabilities.count(x) > 0;
  }
};

/// A reduced view that is asked for. What is not named stays as it is.
struct sandbox_scope {
  /// The only named paths that are kept, with the access they have then.
  std::optional<std::map<std::string, file_access>> files;
  std::optional<std::map<std::string, file_access>> runtime_paths;
  /// The only capabilities that are kept.
  std::optional<std::set<sandbox_capability>> capabilities;
  /// none, or an allowlist that the present one covers, or the same gateway.
  std::optional<network_settings> network;
  /// Each at most the present one.
  std::optional<sandbox_limits> limits;
};

/// The authority of a scope of `held`. It can only be less: errc::policy when
/// anything would be more, naming what. Pure.
caf::expected<sandbox_authority> narrow(const sandbox_authority& held,
                                        const sandbox_scope& scope);

} // namespace troupe
