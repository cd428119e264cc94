#include "troupe/config/settings_reader.hpp"

#include "troupe/config/text_file.hpp"

#include <filesystem>

namespace troupe {

namespace {

// A path of a file counts from the folder of that file.
std::optional<std::string> resolve_path(const yaml_value& value) {
  auto text = value.text();
  if (!text)
    return text;
  if (text->empty() || text->find('\0') != std::string::npos) {
    value.fail("expected a path, found " + quote(*text));
    return std::nullopt;
  }
  auto failure = std::error_code{};
  auto path = std::filesystem::path{value.folder()} / *text;
  auto result = std::filesystem::absolute(path, failure);
  result = (failure ? path : result).lexically_normal();
  // "folder/." is normalised to "folder/".
  if (!result.has_filename() && result.has_relative_path())
    result = result.parent_path();
  return result.string();
}

bool is_url(std::string_view text) {
  for (auto scheme : {"http://", "https://"})
    if (text.starts_with(scheme))
      return text.size() > std::string_view{scheme}.size()
             && text.find_first_of(" \t\r\n") == std::string_view::npos;
  return false;
}

} // namespace

void settings_reader::name(std::string_view key, std::string& x) {
  assign_found(x, fields_.require(key).name());
}

void settings_reader::elsewhere(std::string_view key) {
  fields_.get(key);
}

void settings_reader::word(std::string_view key, std::string& x,
                           troupe::word_list allowed) {
  assign_found(x, fields_.get(key).word(allowed));
}

void settings_reader::word_list(std::string_view key,
                                std::vector<std::string>& x,
                                troupe::word_list allowed) {
  auto value = fields_.get(key);
  if (!value)
    return;
  x.clear();
  for (const auto& item : value.items())
    if (auto found = item.word(allowed))
      x.push_back(std::move(*found));
}

void settings_reader::word_lists(
  std::string_view key, std::map<std::string, std::vector<std::string>>& x,
  troupe::word_list allowed) {
  auto lists = settings_reader{fields_.get(key)};
  for (auto name : allowed)
    if (auto value = lists.fields_.get(name))
      assign(value, x[std::string{name}]);
  lists.fields_.reject_unknown();
}

void settings_reader::path(std::string_view key, std::string& x) {
  if (auto value = fields_.get(key))
    assign_found(x, resolve_path(value));
}

void settings_reader::paths(std::string_view key,
                            std::map<std::string, std::string>& x) {
  for (const auto& [name, value] : fields_.get(key).entries())
    assign_found(x[name], resolve_path(value));
}

void settings_reader::url(std::string_view key, std::string& x) {
  auto value = fields_.get(key);
  auto text = value.text();
  if (!text)
    return;
  // The text itself may hold a password.
  if (!is_url(*text))
    value.fail("expected a URL that begins with http:// or https://");
  x = std::move(*text);
}

void settings_reader::target(std::string_view key, std::string& x,
                             std::string& folder) {
  auto value = fields_.get(key);
  auto text = value.text();
  if (!text)
    return;
  x = std::move(*text);
  folder = value.folder();
}

void settings_reader::json(std::string_view key, std::string& x) {
  auto value = fields_.get(key);
  if (value.is_null())
    x.clear();
  else
    assign_found(x, value.json_object());
}

void settings_reader::variables(std::string_view key,
                                std::map<std::string, std::string>& x) {
  auto value = fields_.get(key);
  if (!value)
    return;
  x.clear();
  for (const auto& [name, element] : value.members()) {
    if (name.empty()
        || name.find_first_of(std::string_view{"=\0", 2}) != std::string::npos)
      element.fail("a variable's name holds neither = nor a zero byte");
    assign_found(x[name], element.scalar());
  }
}

void settings_reader::texts(std::string_view key,
                            std::map<std::string, std::string>& x) {
  auto value = fields_.get(key);
  if (!value)
    return;
  x.clear();
  for (const auto& [name, element] : value.members())
    assign_found(x[name], element.text());
}

void settings_reader::tools(std::string_view key, std::vector<std::string>& x) {
  for (const auto& item : fields_.get(key).items()) {
    if (item.is_mapping())
      continue; // an assembly, for the loader of definitions
    if (auto name = item.text())
      x.push_back(std::move(*name));
  }
}

void settings_reader::read_shorthand(const yaml_value& value, std::string& x,
                                     troupe::word_list allowed) {
  if (value.is_scalar())
    assign_found(x, value.word(allowed));
  else
    value.fail("expected a word or a mapping, found a list");
}

} // namespace troupe
