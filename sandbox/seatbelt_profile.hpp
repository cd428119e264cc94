#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/path_grants.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The profile that macOS's sandbox-exec takes for commands over `grants`:
/// everything is denied but what stands there, and of two rules that match the
/// later counts. Pure. Not verified: written from what is published about the
/// language, and never run, since macOS is no platform of troupe yet. Errors:
/// sandbox (an allowlist, which needs a gateway), policy (a path that cannot be
/// written down).
caf::expected<std::string>
seatbelt_profile(const sandbox_settings& policy,
                 const std::vector<path_grant>& grants);

/// Why Seatbelt cannot be used here. Error: sandbox, always.
caf::error check_seatbelt();

} // namespace troupe
