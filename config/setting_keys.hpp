#pragma once

#include <string>
#include <vector>

namespace troupe {

/// A key of `troupe.yaml` or of an agent file.
struct setting_key {
  /// "providers.*.timeouts.connect"; `*` stands for a name that the user
  /// chooses.
  std::string path;
  /// Whether it is one value, and not a list or a mapping of free form.
  bool is_scalar = false;
};

/// Every key of `troupe.yaml` but `version`, sections themselves left out.
std::vector<setting_key> setting_keys();

/// Every key of an agent file.
std::vector<setting_key> agent_keys();

} // namespace troupe
