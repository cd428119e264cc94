#include "troupe/config/show_settings.hpp"

#include "troupe/config/core_schema.hpp"
#include "troupe/config/settings_writer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <variant>

namespace troupe {

namespace {

using tree = nlohmann::ordered_json;

std::string dump(const tree& x) {
  // A text of C++ settings may be anything, and nothing here may throw.
  return x.dump(-1, ' ', false, tree::error_handler_t::replace);
}

// Whether `text` may stand in YAML without quotes and still be a text.
bool is_plain(std::string_view text) {
  constexpr auto safe = std::string_view{
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "0123456789_-./"};
  return !text.empty() && text.find_first_not_of(safe) == std::string_view::npos
         && std::holds_alternative<std::string_view>(resolve_core(text))
         && text.front() != '-' && text.front() != '.';
}

// `${` would be a variable when the output is read again.
std::string escape_variables(std::string_view text) {
  auto result = std::string{};
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "${")
      result += '$';
    result += text[i];
  }
  return result;
}

std::string to_scalar(const tree& x) {
  if (!x.is_string())
    return dump(x);
  auto text = escape_variables(x.get<std::string>());
  return is_plain(text) ? text : dump(text);
}

// A list, or a mapping of free form, on one line.
std::string to_flow(const tree& x) {
  if (!x.is_structured())
    return x.is_string() ? dump(escape_variables(x.get<std::string>()))
                         : dump(x);
  auto result = std::string{};
  for (const auto& [key, value] : x.items()) {
    result += result.empty() ? "" : ", ";
    if (x.is_object())
      result += dump(key) + ": ";
    result += to_flow(value);
  }
  return x.is_object() ? '{' + result + '}' : '[' + result + ']';
}

class yaml_printer {
public:
  explicit yaml_printer(const std::map<std::string, std::string>& sources)
    : sources_(sources) {
    // nop
  }

  void print(const tree& mapping, const std::string& path) {
    for (const auto& [key, value] : mapping.items()) {
      auto below = path;
      if (!below.empty())
        below += '.';
      below += key;
      auto line = std::string(indent_, ' ') + to_scalar(key) + ':';
      if (value.is_object() && !value.empty()) {
        result_ += line + '\n';
        indent_ += 2;
        print(value, below);
        indent_ -= 2;
      } else {
        auto is_scalar = !value.is_structured();
        add(line + ' ' + (is_scalar ? to_scalar(value) : to_flow(value)),
            source_of(below));
      }
    }
  }

  std::string take() {
    return std::move(result_);
  }

private:
  // What prints as one value may have been a section of keys with places.
  std::string source_of(const std::string& path) const {
    if (path == "version")
      return {};
    auto below = path + '.';
    auto i = sources_.find(path);
    if (i == sources_.end())
      i = sources_.lower_bound(below);
    auto is_found = i != sources_.end()
                    && (i->first == path || i->first.starts_with(below));
    return is_found ? i->second : "default";
  }

  void add(std::string line, const std::string& source) {
    constexpr size_t column = 48;
    if (!source.empty()) {
      line.resize(std::max(line.size() + 2, column), ' ');
      line += "# ";
      // The path of a file may hold anything.
      for (auto c : source)
        line += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
    result_ += line + '\n';
  }

  const std::map<std::string, std::string>& sources_;
  std::string result_;
  size_t indent_ = 0;
};

} // namespace

std::string show_settings(const loaded_settings& x) {
  auto printer = yaml_printer{x.sources};
  printer.print(to_masked_json(x), {});
  return printer.take();
}

std::string show_settings_json(const loaded_settings& x) {
  auto result = to_masked_json(x);
  result["sources"] = x.sources;
  result["files"] = x.files;
  return dump(result);
}

} // namespace troupe
