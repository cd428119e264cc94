#pragma once

#include "troupe/config/model_settings.hpp"
#include "troupe/config/settings.hpp"

#include "caf/expected.hpp"

#include <string>

namespace troupe {

/// The adapter of connections whose models the application brought along.
constexpr auto own_adapter = "own";

/// A target with everything looked up that tells how to ask it.
struct model_target {
  /// As in `settings::providers`, or "cassette".
  std::string connection;
  /// What the provider calls the model; for a cassette the path of its file.
  std::string model_id;
  std::string settings_json;
  /// Presets applied. Its adapter is one that exists: openai, cassette or
  /// `own_adapter`.
  provider_settings provider;
};

/// Finds `name`, a role or a target or empty for the default model. A
/// relative FILE counts from the folder of its role or default, else from
/// `folder`; where it does not exist there, from `project`, the folder that
/// the program works in. `errc::configuration` says what exists, or which
/// adapter does not yet.
caf::expected<model_target>
find_target(const settings& x, const std::string& name,
            const std::string& folder, const std::string& project = {});

} // namespace troupe
