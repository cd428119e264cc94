#pragma once

#include "caf/expected.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// One thing that is wrong with a value.
struct schema_violation {
  /// JSON pointer to the offending place, empty for the value itself.
  std::string pointer;
  /// A sentence that a model can act on: "expected string, got number",
  /// "missing required property 'path'".
  std::string message;
};

/// "/path: message", one a line.
std::string to_string(const std::vector<schema_violation>& violations);

/// A compiled JSON Schema: draft 7, and of 2020-12 what tools use ($defs,
/// prefixItems, dependentRequired, dependentSchemas). `format` and other
/// annotations are not checked. A cheap handle: copies share one schema, which
/// may be checked from any thread (checks of one schema take turns).
///
/// Patterns are RE2's: no lookaround and no back-references, and in return
/// linear time and bounded stack whatever a model sends.
class json_schema {
public:
  /// Compiles the text of a schema. `errc::configuration`, with a JSON pointer
  /// into the schema, for what is no schema: no JSON, a keyword of the wrong
  /// type, a bad pattern, a `$ref` that leaves the document, leads nowhere or
  /// comes back to itself without consuming the value, and what is too large
  /// to be checked safely. Never reads a file or the network.
  static caf::expected<json_schema> compile(std::string_view text);

  /// What is wrong with `value`, at most 20 violations; none when it is valid.
  /// A value that is nested too deeply or costs too much to check has one
  /// violation that says so.
  std::vector<schema_violation> check(const nlohmann::json& value) const;

private:
  class compiled;

  explicit json_schema(std::shared_ptr<compiled> impl);

  std::shared_ptr<compiled> impl_;
};

} // namespace troupe
