#pragma once

#include "troupe/config/settings.hpp"

#include "caf/expected.hpp"

#include <string>
#include <string_view>

namespace troupe {

/// Which model to call, and how.
struct resolved_model {
  /// The name of a configured provider; "cassette" alone for the target
  /// "cassette:FILE" that needs none.
  std::string connection;
  /// What follows the first colon of the target: a model id, or the FILE of a
  /// cassette as it was written.
  std::string model;
  /// Extra request fields of the role, one JSON object.
  std::string settings_json = "{}";
  /// The folder that a relative FILE counts from; empty: the working
  /// directory.
  std::string folder;
};

/// Finds the model called `name`, a role or "connection:model-id"; an empty
/// name is the default model. `folder` is what the FILE of a target counts
/// from, `agent_settings::folder` for the model of an agent. A name that
/// leads nowhere is `errc::configuration`.
caf::expected<resolved_model> resolve_model(const settings& x,
                                            std::string_view name,
                                            std::string_view folder = {});

} // namespace troupe
