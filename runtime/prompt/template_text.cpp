#include "troupe/runtime/prompt/template_text.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/json/json_text.hpp"

#if __has_include(<kainjow/mustache.hpp>)
#  include <kainjow/mustache.hpp>
#else
#  include <mustache.hpp>
#endif
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <deque>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

namespace {

using nlohmann::json;
namespace km = kainjow::mustache;

constexpr size_t max_nesting = 32;
constexpr size_t max_output = 4u << 20;
// The library collects a whole line before it writes, so what goes into lines
// is counted where it comes from: values, and the template's own text again
// each time that a section repeats.
constexpr size_t max_repeated = 64u << 20;
// Stands before a variable's name: the library asks for variables and sections
// alike, but only a section may be missing, and only a variable is a text.
constexpr auto variable_mark = '\x01';

struct template_fault : std::runtime_error {
  template_fault(size_t offset, const std::string& what)
    : std::runtime_error(what),
      position(offset) {
    // nop
  }

  size_t position;
};

std::string_view trimmed(std::string_view text) {
  constexpr auto spaces = " \t\r\n\v\f";
  auto begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

/// Finds the tags as the library does, refuses what it would guess about, and
/// marks the variables.
class marker {
public:
  explicit marker(std::string_view text) : text_(text) {
    // nop
  }

  std::string run() {
    while (auto found = next_tag())
      take(*found);
    if (!open_.empty())
      throw template_fault{open_.back().position, "the section '"
                                                    + open_.back().name
                                                    + "' is never closed"};
    return std::move(result_);
  }

  std::vector<template_name> take_names() {
    return std::move(names_);
  }

private:
  struct tag {
    size_t begin;
    size_t end;
    std::string_view content;
    bool is_triple;
  };

  struct section {
    std::string name;
    size_t position;
    bool is_inverted;
  };

  std::optional<tag> next_tag() {
    auto begin = text_.find(open_mark_, pos_);
    result_ += text_.substr(pos_, begin - pos_);
    if (begin == std::string_view::npos)
      return {};
    auto inside = begin + open_mark_.size();
    auto is_triple = open_mark_ == "{{" && close_mark_ == "}}"
                     && text_.substr(inside, 1) == "{";
    auto close = is_triple ? std::string{"}}}"} : close_mark_;
    inside += is_triple ? 1 : 0;
    auto found = text_.find(close, inside);
    if (found == std::string_view::npos)
      throw template_fault{begin, "the tag is never closed"};
    pos_ = found + close.size();
    return tag{begin, pos_, trimmed(text_.substr(inside, found - inside)),
               is_triple};
  }

  void take(const tag& it) {
    auto kind = it.content.empty() || it.is_triple ? ' ' : it.content[0];
    auto name = std::string_view{it.content};
    if (std::string_view{"#^/&"}.find(kind) != std::string_view::npos)
      name = trimmed(name.substr(1));
    if (kind == '>')
      throw template_fault{it.begin, "partials are not supported"};
    if (kind == '=')
      set_marks(it);
    if (kind == '!' || kind == '=') {
      result_ += text_.substr(it.begin, it.end - it.begin);
      return;
    }
    if (name.empty())
      throw template_fault{it.begin, "the tag has no name"};
    if (name.find(close_mark_) != std::string_view::npos)
      throw template_fault{it.begin, "a name cannot hold the end of a tag"};
    if (kind != '/')
      note(name);
    if (kind == '#' || kind == '^')
      enter(it, std::string{name}, kind == '^');
    else if (kind == '/')
      leave(it, name);
    auto is_variable = kind != '#' && kind != '^' && kind != '/';
    result_ += open_mark_;
    result_ += is_variable ? '&' : kind;
    result_ += is_variable ? std::string(1, variable_mark) : std::string{};
    result_ += name;
    result_ += close_mark_;
  }

  void note(std::string_view name) {
    auto& one = names_.emplace_back();
    one.name = name;
    for (const auto& around : open_)
      if (!around.is_inverted)
        one.inside.push_back(around.name);
  }

  void enter(const tag& it, std::string name, bool is_inverted) {
    if (open_.size() == max_nesting)
      throw template_fault{it.begin, "sections are nested too deeply"};
    open_.push_back({std::move(name), it.begin, is_inverted});
  }

  void leave(const tag& it, std::string_view name) {
    if (open_.empty() || open_.back().name != name)
      throw template_fault{
        it.begin,
        "'" + std::string{name} + "' closes no section"
          + (open_.empty() ? "" : ": '" + open_.back().name + "' is open")};
    open_.pop_back();
  }

  // "=OPEN CLOSE="
  void set_marks(const tag& it) {
    auto words = std::istringstream{std::string{it.content}};
    auto open = std::string{};
    auto close = std::string{};
    auto rest = std::string{};
    auto content = it.content;
    if (content.size() > 2 && content.back() == '=') {
      words.str(std::string{content.substr(1, content.size() - 2)});
      words >> open >> close >> rest;
    }
    auto has_equals = (open + close).find('=') != std::string::npos;
    if (close.empty() || !rest.empty() || has_equals)
      throw template_fault{it.begin, "delimiters are changed by {{=<% %>=}}"};
    open_mark_ = std::move(open);
    close_mark_ = std::move(close);
  }

  std::string_view text_;
  size_t pos_ = 0;
  std::string open_mark_ = "{{";
  std::string close_mark_ = "}}";
  std::vector<section> open_;
  std::vector<template_name> names_;
  std::string result_;
};

bool is_falsy(const json& value) {
  if (const auto* text = value.get_ptr<const std::string*>())
    return text->empty();
  return value.is_null() || value == false
         || (value.is_array() && value.empty());
}

std::string text_of(const json& value) {
  if (value.is_null())
    return {};
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

const json* member(const json& value, std::string_view name) {
  if (value.is_object()) {
    auto i = value.find(name);
    return i == value.end() ? nullptr : &*i;
  }
  auto index = size_t{0};
  auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(),
                                       index);
  auto is_index = failed == std::errc{} && end == name.data() + name.size();
  return value.is_array() && is_index && index < value.size() ? &value[index]
                                                              : nullptr;
}

const json* walk(const json& value, std::string_view name) {
  auto* result = &value;
  for (auto begin = size_t{0}; result != nullptr && begin <= name.size();) {
    auto end = std::min(name.find('.', begin), name.size());
    result = member(*result, name.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

/// Looks names up in JSON and hands the library only what it must see: a text
/// for a variable, the truth and the number of items for a section. So no
/// value is copied as a whole, and none is a template.
class json_context : public km::basic_context<std::string> {
public:
  json_context(const json& values, size_t template_size, missing_name missing)
    : stack_{&values},
      template_size_(template_size),
      missing_(missing) {
    // nop
  }

  void push(const km::data* data) override {
    repeated_ += template_size_;
    if (repeated_ > max_repeated)
      throw std::runtime_error("its sections repeat too often");
    auto i = values_.find(data);
    stack_.push_back(i == values_.end() ? stack_.back() : i->second);
  }

  void pop() override {
    stack_.pop_back();
  }

  const km::data* get(const std::string& name) const override {
    auto is_variable = name[0] == variable_mark;
    auto plain = std::string_view{name}.substr(is_variable ? 1 : 0);
    auto* value = find(plain);
    if (!is_variable)
      return value == nullptr ? nullptr : section_data(*value);
    if (value == nullptr && may_be_missing(plain)) {
      text_ = km::data{std::string{}};
      return &text_;
    }
    if (value == nullptr)
      throw std::runtime_error("it names '" + std::string{plain}
                               + "', which does not exist");
    auto text = text_of(*value);
    inserted_ += text.size();
    if (inserted_ > max_output)
      throw std::runtime_error("the result is longer than 4 MiB");
    text_ = km::data{text};
    return &text_;
  }

  const km::data* get_partial(const std::string&) const override {
    return nullptr;
  }

private:
  const json* find(std::string_view name) const {
    if (name == ".")
      return stack_.back();
    for (auto i = stack_.rbegin(); i != stack_.rend(); ++i)
      if (auto* value = walk(**i, name))
        return value;
    return nullptr;
  }

  bool may_be_missing(std::string_view name) const {
    auto dot = name.find('.');
    return missing_ == missing_name::empty && dot != std::string_view::npos
           && find(name.substr(0, dot)) != nullptr;
  }

  const km::data* section_data(const json& value) const {
    if (is_falsy(value))
      return &false_;
    auto [i, is_new] = sections_.try_emplace(&value, nullptr);
    if (is_new)
      i->second = &make_section(value);
    return i->second;
  }

  const km::data& make_section(const json& value) const {
    auto& result = data_.emplace_back(true);
    if (!value.is_array()) {
      values_.emplace(&result, &value);
      return result;
    }
    result = km::data{km::list(value.size(), km::data{true})};
    for (auto i = size_t{0}; i < value.size(); ++i)
      values_.emplace(&result.list_value()[i], &value[i]);
    return result;
  }

  std::vector<const json*> stack_;
  size_t template_size_;
  missing_name missing_;
  size_t repeated_ = 0;
  // What the library was given must outlive the rendering, and `get` is const.
  mutable size_t inserted_ = 0;
  mutable km::data text_;
  mutable std::deque<km::data> data_;
  mutable std::unordered_map<const json*, const km::data*> sections_;
  mutable std::unordered_map<const km::data*, const json*> values_;
  km::data false_{false};
};

/// What the library writes to.
struct bounded_output {
  std::string& text;

  bounded_output& operator<<(const std::string& piece) {
    if (text.size() + piece.size() > max_output)
      throw std::runtime_error("the result is longer than 4 MiB");
    text += piece;
    return *this;
  }
};

std::string place(std::string_view text, std::string_view name,
                  size_t position) {
  auto before = text.substr(0, position);
  auto line = std::count(before.begin(), before.end(), '\n') + 1;
  auto column = position - (before.rfind('\n') + 1) + 1;
  auto result = std::string{name};
  result += result.empty() ? "" : ":";
  return result + std::to_string(line) + ":" + std::to_string(column);
}

} // namespace

template_text template_text::literal(std::string text) {
  auto result = template_text{};
  result.text_ = std::move(text);
  return result;
}

caf::expected<template_text> template_text::compile(std::string_view text,
                                                    std::string name) {
  auto result = template_text{};
  result.text_ = text;
  result.name_ = std::move(name);
  result.is_literal_ = text.find("{{") == std::string_view::npos;
  if (result.is_literal_)
    return result;
  try {
    auto finder = marker{text};
    result.marked_ = finder.run();
    result.names_ = finder.take_names();
  } catch (const template_fault& failure) {
    return make_error(errc::configuration,
                      std::string{"the template is not valid: "}
                        + sanitize_utf8(failure.what()),
                      place(text, result.name_, failure.position));
  }
  return result;
}

caf::expected<std::string> template_text::render(const json& values,
                                                 missing_name missing) const {
  if (is_literal_)
    return text_;
  // Rendering changes the library's template, so each has its own.
  auto parsed = km::mustache{marked_};
  auto result = std::string{};
  try {
    auto context = json_context{values, marked_.size(), missing};
    auto out = bounded_output{result};
    parsed.render(context, out);
  } catch (const std::exception& failure) {
    return make_error(errc::configuration,
                      std::string{"the template cannot be filled in: "}
                        + sanitize_utf8(failure.what()),
                      name_);
  }
  if (!parsed.is_valid())
    return make_error(errc::configuration,
                      "the template is not valid: " + parsed.error_message(),
                      name_);
  return result;
}

caf::expected<std::string> render_template(std::string_view text,
                                           const json& values,
                                           missing_name missing) {
  auto compiled = template_text::compile(text);
  if (!compiled)
    return std::move(compiled.error());
  return compiled->render(values, missing);
}

} // namespace troupe
