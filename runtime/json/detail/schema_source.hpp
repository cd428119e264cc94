#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::detail {

/// Thrown and caught within json_schema: what is wrong with a schema, where.
struct schema_fault : std::runtime_error {
  schema_fault(std::string where, const std::string& what)
    : std::runtime_error(what),
      pointer(std::move(where)) {
    // nop
  }

  std::string pointer;
};

/// A schema in the form that is given to valijson.
struct schema_source {
  /// `{"0": …, "1": …}`: 0 is the schema itself, the others what a `$ref` or
  /// a pattern names. Every `$ref` in it is "#/definitions/N".
  nlohmann::json definitions = nlohmann::json::object();
  /// The definitions that are checked on their own, see `patterns_keyword`.
  std::vector<size_t> entries;
  /// The most schemas that apply, nested, to one place of a value.
  size_t chain = 1;
};

// Keywords that our own rules implement, because valijson's are unsafe for
// hostile input or say too little.
constexpr auto type_keyword = "troupe:type";
constexpr auto enum_keyword = "troupe:enum";
constexpr auto pattern_keyword = "troupe:pattern";
constexpr auto length_keyword = "troupe:length";
constexpr auto multiple_keyword = "troupe:multiple_of";
constexpr auto unique_keyword = "troupe:unique";
constexpr auto closed_keyword = "troupe:closed";
constexpr auto patterns_keyword = "troupe:patterns";
constexpr auto step_keyword = "troupe:step";

/// Checks `schema` and rewrites it: keywords that are not assertions go,
/// unsafe ones are renamed to ours, references are resolved and collected.
/// Throws `schema_fault`.
schema_source rewrite_schema(const nlohmann::json& schema);

} // namespace troupe::detail
