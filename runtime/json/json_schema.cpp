#include "troupe/runtime/json/json_schema.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/json/detail/schema_rules.hpp"
#include "troupe/runtime/json/detail/schema_source.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <valijson/validator.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

namespace troupe {

namespace {

using nlohmann::json;
using json_adapter = valijson::adapters::NlohmannJsonAdapter;
using valijson::ValidationResults;

constexpr size_t max_violations = 20;
constexpr uint64_t max_steps = 1'000'000;
// Levels of a value times schemas for one place: valijson recurses over both.
constexpr size_t max_recursion = 1000;

struct phrase {
  std::string_view begin;
  std::string_view sentence;
};

// What valijson says, and what a model is told. Empty: it only repeats that
// something below is wrong.
constexpr auto phrases = std::array{
  phrase{"Failed to validate against any schemas allowed by anyOf",
         "matches none of the alternatives of anyOf"},
  phrase{"Failed to validate against any child schemas allowed by oneOf",
         "matches none of the alternatives of oneOf"},
  phrase{"Failed to validate against exactly one child schema",
         "matches more than one of the alternatives of oneOf"},
  phrase{"Failed to any values against subschema in 'contains'",
         "expected an item like the one that 'contains' describes"},
  phrase{"Target should not validate", "is what the schema's 'not' forbids"},
  phrase{"Failed to validate", ""},
};

std::string sentence(std::string text) {
  for (const auto& [begin, result] : phrases)
    if (text.compare(0, begin.size(), begin) == 0)
      return std::string{result};
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  if (!text.empty() && text.back() == '.')
    text.pop_back();
  // std::to_string of a double: "5.000000".
  if (text.size() > 7 && text.compare(text.size() - 7, 7, ".000000") == 0)
    text.resize(text.size() - 7);
  return sanitize_utf8(text);
}

// valijson's path is "<root>", "[name]", "[0]".
std::string pointer_of(const std::vector<std::string>& path) {
  auto result = std::string{};
  for (auto i = size_t{1}; i < path.size(); ++i) {
    result += '/';
    for (auto c : std::string_view{path[i]}.substr(1, path[i].size() - 2))
      result += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return excerpt(result, 200);
}

std::vector<schema_violation> violations_of(const ValidationResults& results) {
  auto result = std::vector<schema_violation>{};
  for (const auto& error : results) {
    auto found = schema_violation{pointer_of(error.context),
                                  sentence(error.description)};
    auto is_same = [&](const schema_violation& x) {
      return x.pointer == found.pointer && x.message == found.message;
    };
    if (!found.message.empty()
        && std::none_of(result.begin(), result.end(), is_same))
      result.push_back(std::move(found));
    if (result.size() == max_violations)
      break;
  }
  return result;
}

std::vector<schema_violation> refusal(std::string why) {
  return {{"", std::move(why)}};
}

// valijson reads every whole number as int64.
bool has_huge_number(const json& value) {
  if (value.is_structured())
    return std::any_of(value.begin(), value.end(), has_huge_number);
  constexpr auto max = static_cast<uint64_t>(INT64_MAX);
  return value.is_number_unsigned() && value.get<uint64_t>() > max;
}

json without_huge_numbers(const json& value) {
  auto result = value;
  if (result.is_structured())
    for (auto& item : result)
      item = without_huge_numbers(item);
  else if (has_huge_number(result))
    result = result.get<double>();
  return result;
}

size_t depth_of(const json& value) {
  auto result = size_t{0};
  if (value.is_structured())
    for (const auto& item : value)
      result = std::max(result, depth_of(item));
  return result + 1;
}

} // namespace

class json_schema::compiled {
public:
  explicit compiled(const json& schema) {
    auto source = detail::rewrite_schema(schema);
    chain_ = source.chain;
    for (auto entry : source.entries)
      state_.entries.push_back(parse(source, entry));
    schema_ = parse(source, 0);
  }

  std::vector<schema_violation> check(const json& value) {
    if (is_deeper_than(value, max_json_depth)
        || depth_of(value) * chain_ > max_recursion)
      return refusal("is nested too deeply");
    if (has_huge_number(value))
      return check_plain(without_huge_numbers(value));
    return check_plain(value);
  }

private:
  std::unique_ptr<valijson::Schema> parse(const detail::schema_source& source,
                                          size_t index) {
    auto document = json{{"$ref", "#/definitions/" + std::to_string(index)},
                         {"definitions", source.definitions}};
    auto result = std::make_unique<valijson::Schema>();
    auto parser = valijson::SchemaParser{valijson::SchemaParser::kDraft7};
    detail::add_rules(parser, state_);
    parser.populateSchema(json_adapter{document}, *result);
    return result;
  }

  // The first pass stops at the first violation and builds no texts.
  std::vector<schema_violation> check_plain(const json& value) {
    auto guard = std::lock_guard{mutex_};
    auto results = ValidationResults{};
    try {
      if (validate(value, nullptr))
        return {};
      validate(value, &results);
    } catch (const detail::check_stopped& stop) {
      if (*stop.what() != '\0')
        return refusal(stop.what());
    } catch (const std::exception& failure) {
      return refusal("cannot be checked: " + sentence(failure.what()));
    }
    auto found = violations_of(results);
    return found.empty() ? refusal("does not match its schema") : found;
  }

  bool validate(const json& value, ValidationResults* results) {
    state_.steps_left = max_steps;
    state_.limit = max_violations * 10;
    auto validator = valijson::Validator{};
    return validator.validate(*schema_, json_adapter{value}, results);
  }

  // Checks of one schema take turns: the rules share a budget.
  std::mutex mutex_;
  detail::rule_state state_;
  size_t chain_ = 1;
  std::unique_ptr<valijson::Schema> schema_;
};

json_schema::json_schema(std::shared_ptr<compiled> impl)
  : impl_(std::move(impl)) {
  // nop
}

caf::expected<json_schema> json_schema::compile(std::string_view text) {
  auto schema = parse_json(text);
  if (!schema)
    return make_error(errc::configuration,
                      "the JSON Schema cannot be read: "
                        + to_fault(schema.error()).message);
  try {
    return json_schema{std::make_shared<compiled>(*schema)};
  } catch (const detail::schema_fault& failure) {
    return make_error(errc::configuration,
                      "the JSON Schema is not valid: "
                        + sanitize_utf8(failure.what()),
                      "#" + excerpt(failure.pointer, 200));
  } catch (const std::exception& failure) {
    return make_error(errc::configuration, "the JSON Schema is not valid: "
                                             + sanitize_utf8(failure.what()));
  }
}

std::vector<schema_violation>
json_schema::check(const nlohmann::json& value) const {
  return impl_->check(value);
}

std::string to_string(const std::vector<schema_violation>& violations) {
  auto result = std::string{};
  for (const auto& [pointer, message] : violations) {
    if (!result.empty())
      result += '\n';
    if (!pointer.empty())
      result += pointer + ": ";
    result += message;
  }
  return result;
}

} // namespace troupe
