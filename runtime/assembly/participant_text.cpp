#include "troupe/runtime/assembly/participant_text.hpp"

#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/prompt/template_text.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

namespace {

using json = nlohmann::json;

// Only what has parts: a model's "42" stays the text it is.
json output_value(const std::string& text) {
  auto value = parse_json(text);
  return value && value->is_structured() ? std::move(*value) : json(text);
}

std::string said_by(const assembly_record& so_far, const std::string& name) {
  auto output = so_far.outputs.find(name);
  if (output != so_far.outputs.end())
    return "Result of " + name + ":\n" + output->second;
  auto error = so_far.errors.find(name);
  if (error != so_far.errors.end())
    return name + " failed: " + error->second;
  return {};
}

} // namespace

caf::expected<std::string> fill_input(const std::string& text,
                                      const assembly_record& so_far) {
  auto results = json::object();
  for (const auto& [name, output] : so_far.outputs)
    results[name]["output"] = output_value(output);
  for (const auto& [name, error] : so_far.errors)
    results[name]["error"] = error;
  auto context
    = parse_object(so_far.context_json.empty() ? "{}" : so_far.context_json);
  if (!context)
    return std::move(context.error());
  auto values = json{{"input", so_far.task},
                     {"results", std::move(results)},
                     {"context", std::move(*context)}};
  return render_template(text, values, missing_name::empty);
}

std::string default_input(const assembly_record& so_far,
                          const std::vector<std::string>& before) {
  auto result = so_far.task;
  for (const auto& name : before)
    if (auto text = said_by(so_far, name); !text.empty())
      result += "\n\n" + text;
  return result;
}

std::string transcript(const assembly_record& so_far) {
  auto result = so_far.earlier_runs;
  for (const auto& name : so_far.order) {
    auto text = said_by(so_far, name);
    if (text.empty())
      continue;
    result += result.empty() ? "" : "\n\n";
    result += text;
  }
  return result;
}

} // namespace troupe
