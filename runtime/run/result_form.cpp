#include "troupe/runtime/run/result_form.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace {

using nlohmann::ordered_json;

constexpr auto wrapping_member = "result";
constexpr auto way_inside = "#/properties/result";
constexpr auto blank = std::string_view{" \t\r\n"};
constexpr auto fence = std::string_view{"```"};

// Of what a model is told; a check reports at most 20 violations.
constexpr auto longest_report = size_t{2000};

// Their members are values, or have names of the user's.
constexpr auto with_values
  = std::array<std::string_view, 4>{"const", "enum", "default", "examples"};
constexpr auto with_named_schemas = std::array<std::string_view, 6>{
  "properties",  "patternProperties", "$defs",
  "definitions", "dependentSchemas",  "dependencies"};

template <class Words>
bool is_among(const Words& words, const std::string& key) {
  return std::find(words.begin(), words.end(), key) != words.end();
}

void move_references(ordered_json& schema);

void move_references_of_all(ordered_json& schemas) {
  if (schemas.is_structured())
    for (auto& one : schemas)
      move_references(one);
}

/// Has references to the document's root lead to where the schema is now.
// A schema is nested no deeper than JSON that is read, see json_text.hpp.
void move_references(ordered_json& schema) {
  if (schema.is_array())
    return move_references_of_all(schema);
  if (!schema.is_object())
    return;
  for (auto& [key, member] : schema.items()) {
    if (key == "$ref" && member.is_string()) {
      auto target = member.get<std::string>();
      if (target.starts_with('#'))
        member = way_inside + target.substr(1);
    } else if (is_among(with_named_schemas, key)) {
      move_references_of_all(member);
    } else if (!is_among(with_values, key)) {
      move_references(member);
    }
  }
}

std::string wrap(ordered_json schema) {
  move_references(schema);
  auto result = ordered_json{{"type", "object"}};
  result["required"] = ordered_json::array({wrapping_member});
  result["properties"][wrapping_member] = std::move(schema);
  result["additionalProperties"] = false;
  return result.dump();
}

std::string_view trimmed(std::string_view text) {
  auto begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::string_view without_fence(std::string_view text) {
  auto line_end = text.find('\n');
  auto last_line = text.rfind('\n');
  if (!text.starts_with(fence) || line_end == last_line
      || text.substr(last_line + 1) != fence)
    return text;
  auto word = trimmed(text.substr(fence.size(), line_end - fence.size()));
  if (!word.empty() && word != "json")
    return text;
  return trimmed(text.substr(line_end, last_line - line_end));
}

std::string report(const std::string& wrong) {
  return excerpt(sanitize_utf8(wrong), longest_report);
}

// One text for everybody who reads it: of members with one name the last
// counts, as in the value that was checked.
std::string compact(std::string_view text) {
  return ordered_json::parse(text.begin(), text.end()).dump();
}

found_result check(const json_schema& schema, const nlohmann::json& value,
                   std::string text) {
  auto violations = schema.check(value);
  if (violations.empty())
    return {std::move(text), {}};
  return {{}, report(to_string(violations))};
}

} // namespace

result_form::result_form(std::string schema_json, json_schema schema)
  : schema_json_(std::move(schema_json)),
    schema_(std::move(schema)) {
  // It was compiled, so it is JSON.
  auto value = ordered_json::parse(schema_json_);
  is_wrapped_ = !value.is_object() || !value.contains("type")
                || value["type"] != "object";
  parameters_ = is_wrapped_ ? wrap(std::move(value)) : schema_json_;
}

caf::expected<result_form> result_form::make(std::string schema_json) {
  auto schema = json_schema::compile(schema_json);
  if (!schema)
    return std::move(schema.error());
  return result_form{std::move(schema_json), std::move(*schema)};
}

found_result result_form::read_text(std::string_view text) const {
  auto inner = without_fence(trimmed(text));
  if (inner.empty())
    return {{}, "it is empty"};
  auto value = parse_json(inner);
  if (!value)
    return {{}, report(to_fault(value.error()).message)};
  return check(schema_, *value, compact(inner));
}

found_result result_form::read_arguments(std::string_view arguments) const {
  auto value = parse_object(arguments);
  if (!value)
    return {{}, report(to_fault(value.error()).message)};
  if (!is_wrapped_)
    return check(schema_, *value, compact(arguments));
  if (value->size() != 1 || !value->contains(wrapping_member))
    return {{}, "the arguments are not {\"result\": …}"};
  auto ordered = ordered_json::parse(arguments.begin(), arguments.end());
  return check(schema_, (*value)[wrapping_member],
               ordered[wrapping_member].dump());
}

} // namespace troupe
