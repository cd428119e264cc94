#pragma once

#include "troupe/runtime/json/detail/schema_source.hpp"

#include <nlohmann/json.hpp>

// Without it valijson aborts the process where it could throw.
#ifndef VALIJSON_USE_EXCEPTIONS
#  define VALIJSON_USE_EXCEPTIONS 1
#endif
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/adapters/std_string_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::detail {

/// Thrown out of a check that must not go on.
struct check_stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the rules of one schema share. Changes during a check.
struct rule_state {
  /// Schemas that may still be applied to values before the check stops: the
  /// bound on what a hostile schema and value can cost together.
  uint64_t steps_left = 0;
  /// Violations wanted.
  size_t limit = 0;
  /// The entries of `schema_source`, compiled.
  std::vector<std::unique_ptr<valijson::Schema>> entries;
};

/// Teaches `parser` the keywords of ours. A bad parameter makes parsing throw
/// `std::runtime_error`.
void add_rules(valijson::SchemaParser& parser, rule_state& state);

} // namespace troupe::detail
