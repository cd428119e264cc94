#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/config/expand_variables.hpp"
#include "troupe/config/yaml_document.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace troupe {

/// Environment variables by name.
using environment_map = std::map<std::string, std::string, std::less<>>;

/// The variables of this process. Not while another thread changes them.
environment_map process_environment();

/// Looks variables up in `environment`, which must outlive it.
variable_lookup lookup_in(const environment_map& environment);

/// What `TROUPE_…` variables set.
struct environment_layer {
  /// A mapping in the form of `troupe.yaml`.
  yaml_node root;
  /// Variables with the prefix that set nothing.
  std::vector<fault> warnings;
};

/// Turns `TROUPE_LIMITS_MAX_TURNS=5` into `limits: {max_turns: 5}`: the key
/// path of a single value in capitals, its parts joined by `_`. Names that the
/// user chooses are reached by joining all parts with `__`, in lower case:
/// `TROUPE_PROVIDERS__PRIMARY__API_KEY`. Values are taken as they are.
/// `folder` is what relative paths count from.
environment_layer layer_of(const environment_map& environment,
                           const std::string& folder);

} // namespace troupe
