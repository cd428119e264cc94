#include "troupe/runtime/assembly/output_condition.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include <optional>
#include <utility>

namespace troupe {

namespace {

using json = nlohmann::json;

constexpr auto most_expression_memory = int64_t{1} << 20;

std::string trimmed(const std::string& text) {
  constexpr auto blank = " \t\r\n";
  auto begin = text.find_first_not_of(blank);
  if (begin == std::string::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::string as_text(const json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

int count_of_questions(const condition_settings& x) {
  return (x.equals ? 1 : 0) + (x.contains ? 1 : 0) + (x.matches ? 1 : 0)
         + (x.holds ? 1 : 0);
}

re2::RE2::Options quiet_options() {
  auto result = re2::RE2::Options{};
  result.set_log_errors(false);
  result.set_max_mem(most_expression_memory);
  return result;
}

} // namespace

struct output_condition::compiled {
  condition_settings settings;
  json::json_pointer pointer;
  json wanted;
  std::unique_ptr<re2::RE2> expression;

  /// What the question is about; nothing where the pointer leads nowhere.
  std::optional<json> find(const std::string& output) const {
    auto value = parse_json(output);
    if (settings.pointer.empty())
      return value ? std::move(*value) : json(trimmed(output));
    if (!value || !value->contains(pointer))
      return std::nullopt;
    return (*value)[pointer];
  }

  bool is_equal(const std::string& output, const json& found) const {
    if (found == wanted)
      return true;
    // "42" and 42 are one answer of a model.
    return settings.pointer.empty() && wanted.is_string()
           && trimmed(output) == wanted.get_ref<const std::string&>();
  }
};

caf::expected<output_condition>
output_condition::make(const condition_settings& x) {
  if (count_of_questions(x) != 1)
    return make_error(
      errc::configuration,
      "a condition asks one thing: equals, contains or matches");
  auto result = std::make_shared<compiled>();
  result->settings = x;
  try {
    result->pointer = json::json_pointer{x.pointer};
  } catch (const json::exception&) { // becomes the caller's error
    return make_error(errc::configuration,
                      "\"" + x.pointer + "\" is no JSON pointer");
  }
  if (x.equals) {
    auto value = parse_json(*x.equals);
    if (!value)
      return std::move(value.error());
    result->wanted = std::move(*value);
  }
  if (x.matches) {
    result->expression = std::make_unique<re2::RE2>(*x.matches,
                                                    quiet_options());
    if (!result->expression->ok())
      return make_error(errc::configuration, "\"" + *x.matches
                                               + "\" is no regular expression: "
                                               + result->expression->error());
  }
  return output_condition{std::move(result)};
}

const std::string& output_condition::node() const noexcept {
  return compiled_->settings.node;
}

bool output_condition::holds(const assembly_record& so_far) const {
  const auto& x = *compiled_;
  if (x.settings.holds)
    return x.settings.holds(so_far);
  auto output = so_far.outputs.find(x.settings.node);
  if (output == so_far.outputs.end())
    return false;
  auto found = x.find(output->second);
  if (!found)
    return false;
  if (x.settings.equals)
    return x.is_equal(output->second, *found);
  auto text = x.settings.pointer.empty() ? output->second : as_text(*found);
  if (x.settings.contains)
    return text.find(*x.settings.contains) != std::string::npos;
  return re2::RE2::PartialMatch(text, *x.expression);
}

std::string output_condition::text() const {
  const auto& x = compiled_->settings;
  if (x.holds)
    return "as the code says";
  auto result = x.node + x.pointer;
  if (x.equals)
    return result + " = " + as_text(compiled_->wanted);
  if (x.contains)
    return result + " contains " + *x.contains;
  return result + " matches " + x.matches.value_or("");
}

} // namespace troupe
