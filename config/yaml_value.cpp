#include "troupe/config/core_schema.hpp"
#include "troupe/config/nearest_name.hpp"
#include "troupe/config/parse_units.hpp"
#include "troupe/config/text_file.hpp"
#include "troupe/config/yaml_reader.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

constexpr auto name_forms
  = std::string_view{"a name is made of letters, digits, _ and -"};

bool is_literal(const yaml_node& node) {
  return node.source && node.source->is_literal;
}

bool is_text(std::string_view plain) {
  return std::holds_alternative<std::string_view>(resolve_core(plain));
}

std::optional<uint64_t> to_count(std::string_view text) {
  auto value = resolve_core(text);
  if (const auto* x = std::get_if<uint64_t>(&value))
    return *x;
  if (const auto* x = std::get_if<int64_t>(&value); x && *x >= 0)
    return static_cast<uint64_t>(*x);
  return std::nullopt;
}

std::optional<double> to_number(std::string_view text) {
  auto value = resolve_core(text);
  if (const auto* x = std::get_if<double>(&value))
    return *x;
  if (const auto* x = std::get_if<int64_t>(&value))
    return static_cast<double>(*x);
  if (const auto* x = std::get_if<uint64_t>(&value))
    return static_cast<double>(*x);
  return std::nullopt;
}

std::string words_of(std::span<const std::string_view> allowed) {
  auto result = std::string{};
  for (auto word : allowed) {
    if (!result.empty())
      result += ", ";
    result += word;
  }
  return result;
}

bool is_name(std::string_view text) {
  auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_letter);
}

} // namespace

yaml_value::yaml_value(yaml_reader& reader, const yaml_node* node,
                       std::string path)
  : reader_(&reader),
    node_(node),
    path_(std::move(path)) {
  // nop
}

bool yaml_value::is_null() const noexcept {
  return node_ != nullptr && node_->kind == yaml_kind::null;
}

bool yaml_value::is_scalar() const noexcept {
  return node_ != nullptr && node_->kind == yaml_kind::scalar;
}

bool yaml_value::is_sequence() const noexcept {
  return node_ != nullptr && node_->kind == yaml_kind::sequence;
}

bool yaml_value::is_mapping() const noexcept {
  return node_ != nullptr && node_->kind == yaml_kind::mapping;
}

std::string yaml_value::folder() const {
  return node_ && node_->source ? node_->source->folder : std::string{};
}

std::optional<std::string> yaml_value::text() const {
  if (!node_)
    return std::nullopt;
  auto result = scalar();
  if (!result)
    return std::nullopt;
  // What came from a variable or the environment is text whatever it looks
  // like; a number in the file itself is probably a slip.
  auto is_bare = !node_->quoted && !is_literal(*node_)
                 && node_->text == *result;
  if (!is_bare || is_text(*result))
    return result;
  fail("expected text, found a number or a truth value", "put it in quotes");
  return std::nullopt;
}

std::optional<std::string> yaml_value::name() const {
  auto result = scalar();
  if (!result || is_name(*result))
    return result;
  fail(std::string{name_forms} + ", found " + quote(node_->text));
  return std::nullopt;
}

std::optional<std::string> yaml_value::scalar() const {
  if (!node_)
    return std::nullopt;
  if (!is_scalar()) {
    fail_type("text");
    return std::nullopt;
  }
  auto expanded = reader_->expand(*node_, path_);
  if (!expanded)
    return std::nullopt;
  return std::move(expanded->text);
}

std::optional<secret> yaml_value::hidden() const {
  auto result = scalar();
  if (!result)
    return std::nullopt;
  reader_->hide(*result);
  return secret{std::move(*result)};
}

std::optional<bool> yaml_value::flag() const {
  constexpr auto expected = std::string_view{"true or false"};
  auto text = bare(expected);
  if (!text)
    return std::nullopt;
  auto value = resolve_core(*text);
  if (const auto* x = std::get_if<bool>(&value))
    return *x;
  fail_type(expected);
  return std::nullopt;
}

std::optional<uint64_t> yaml_value::count(uint64_t min, uint64_t max) const {
  auto expected = "a whole number from " + std::to_string(min) + " to "
                  + std::to_string(max);
  auto text = bare(expected);
  if (!text)
    return std::nullopt;
  auto result = to_count(*text);
  if (result && *result >= min && *result <= max)
    return result;
  fail_type(expected);
  return std::nullopt;
}

std::optional<double> yaml_value::number() const {
  constexpr auto expected = std::string_view{"a number"};
  auto text = bare(expected);
  if (!text)
    return std::nullopt;
  auto result = to_number(*text);
  if (result && std::isfinite(*result))
    return result;
  fail_type(expected);
  return std::nullopt;
}

std::optional<caf::timespan> yaml_value::duration() const {
  auto text = bare(duration_forms);
  if (!text)
    return std::nullopt;
  if (auto result = parse_duration(*text))
    return *result;
  fail_type(duration_forms);
  return std::nullopt;
}

std::optional<uint64_t> yaml_value::size() const {
  auto text = bare(size_forms);
  if (!text)
    return std::nullopt;
  if (auto result = parse_size(*text))
    return *result;
  fail_type(size_forms);
  return std::nullopt;
}

std::optional<std::string>
yaml_value::word(std::span<const std::string_view> allowed) const {
  if (!node_)
    return std::nullopt;
  auto expected = "one of " + words_of(allowed);
  if (!is_scalar()) {
    fail_type(expected);
    return std::nullopt;
  }
  auto result = scalar();
  if (!result)
    return std::nullopt;
  if (std::find(allowed.begin(), allowed.end(), *result) != allowed.end())
    return result;
  auto known = std::vector<std::string>{allowed.begin(), allowed.end()};
  auto near = nearest_name(*result, known);
  fail("expected " + expected + ", found " + quote(node_->text),
       near ? "did you mean " + quote(*near) + '?' : std::string{});
  return std::nullopt;
}

std::optional<std::vector<std::string>> yaml_value::texts() const {
  if (!node_)
    return std::nullopt;
  auto result = std::vector<std::string>{};
  for (const auto& item : items())
    if (auto text = item.text())
      result.push_back(std::move(*text));
  return result;
}

std::vector<yaml_value> yaml_value::items() const {
  auto result = std::vector<yaml_value>{};
  if (!node_ || is_null())
    return result;
  if (!is_sequence())
    fail_type("a list");
  for (const auto& item : node_->items)
    result.emplace_back(*reader_, &item,
                        path_ + '[' + std::to_string(result.size()) + ']');
  return result;
}

yaml_fields yaml_value::fields() const {
  if (!node_ || is_null() || is_mapping())
    return yaml_fields{*this};
  fail_type("a mapping");
  return yaml_fields{{*reader_, nullptr, path_}};
}

std::vector<std::pair<std::string, yaml_value>> yaml_value::members() const {
  auto result = std::vector<std::pair<std::string, yaml_value>>{};
  if (!node_ || is_null())
    return result;
  if (!is_mapping())
    fail_type("a mapping");
  for (const auto& [key, value] : node_->members) {
    auto path = path_ + (path_.empty() ? "" : ".") + key.text;
    result.emplace_back(key.text, yaml_value{*reader_, &value, path});
  }
  return result;
}

std::vector<std::pair<std::string, yaml_value>> yaml_value::entries() const {
  auto result = members();
  for (const auto& [name, value] : result)
    if (!is_name(name))
      value.fail(name_forms);
  return result;
}

void yaml_value::fail(std::string_view message, std::string hint) const {
  if (node_)
    reader_->fail(path_, *node_, message, std::move(hint));
}

std::optional<std::string> yaml_value::bare(std::string_view expected) const {
  if (!node_)
    return std::nullopt;
  if (!is_scalar()) {
    fail_type(expected);
    return std::nullopt;
  }
  auto expanded = reader_->expand(*node_, path_);
  if (!expanded)
    return std::nullopt;
  if (node_->quoted && !expanded->has_variable) {
    fail("expected " + std::string{expected} + ", found the text "
           + quote(node_->text),
         "remove the quotes");
    return std::nullopt;
  }
  return std::move(expanded->text);
}

void yaml_value::fail_type(std::string_view expected) const {
  auto found = std::string{};
  switch (node_->kind) {
    case yaml_kind::null:
      found = "nothing";
      break;
    case yaml_kind::scalar:
      found = quote(node_->text);
      break;
    case yaml_kind::sequence:
      found = "a list";
      break;
    case yaml_kind::mapping:
      found = "a mapping";
      break;
  }
  fail("expected " + std::string{expected} + ", found " + found);
}

} // namespace troupe
