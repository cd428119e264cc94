#pragma once

#include "troupe/runtime/json/json_schema.hpp"

#include "caf/expected.hpp"

#include <string>
#include <string_view>

namespace troupe {

/// The tool with which a model gives a result that is checked, where it cannot
/// answer in the form of a schema by itself.
inline constexpr auto result_tool_name = "final_result";

/// What was found where a result was to be.
struct found_result {
  /// Its JSON text: compact, members in the order of the model; empty where
  /// something is wrong.
  std::string json;
  /// What is wrong with it, for the model; empty: nothing is.
  std::string wrong;
};

/// The form that the result of an agent must have: a JSON Schema. A cheap
/// handle; any thread.
class result_form {
public:
  /// `errc::configuration` for what is no schema, as `json_schema::compile`.
  static caf::expected<result_form> make(std::string schema_json);

  /// The text of the schema, as it was given.
  const std::string& schema() const noexcept {
    return schema_json_;
  }

  /// What `result_tool_name` takes: the schema where its `type` is object;
  /// otherwise an object with the one member `result`, which is of the schema.
  const std::string& parameters() const noexcept {
    return parameters_;
  }

  /// The result that is all of an answer's text. A Markdown fence around the
  /// whole of it ("```json" or "```" on a line of its own, "```" on the last)
  /// is taken off, and nothing else: text before or behind the JSON is wrong.
  found_result read_text(std::string_view text) const;

  /// The result in the arguments of a call of `result_tool_name`.
  found_result read_arguments(std::string_view arguments) const;

private:
  result_form(std::string schema_json, json_schema schema);

  std::string schema_json_;
  json_schema schema_;
  std::string parameters_;
  bool is_wrapped_ = false;
};

} // namespace troupe
