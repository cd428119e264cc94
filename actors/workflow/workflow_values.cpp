#include "troupe/actors/workflow/workflow_values.hpp"

#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace troupe::detail {

namespace {

co::failure no_json(const std::string& why) {
  return co::failure{errc::configuration, "the value has no JSON form: " + why};
}

// Described values nest as deep as their types.
bool is_finite(const nlohmann::ordered_json& x) {
  if (x.is_number_float())
    return std::isfinite(x.get<double>());
  return std::all_of(x.begin(), x.end(), [](const auto& item) {
    return item.is_primitive() && !item.is_number_float() ? true
                                                          : is_finite(item);
  });
}

} // namespace

std::string stored_text(const nlohmann::ordered_json& value) {
  if ((value.is_structured() || value.is_number_float()) && !is_finite(value))
    throw no_json("a number is not finite");
  try {
    return value.dump();
  } catch (const nlohmann::json::exception&) {
    throw no_json("a text is not UTF-8");
  }
}

std::string checked_json(std::string text) {
  auto value = parse_json(text);
  if (!value)
    throw no_json(to_fault(value.error()).message);
  return text;
}

} // namespace troupe::detail
