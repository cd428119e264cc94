#pragma once

#include "troupe/config/describe_settings.hpp"
#include "troupe/config/yaml_reader.hpp"

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// The visitor of `describe` that fills settings from a mapping. What the
/// mapping leaves out keeps its value. Faults go to the reader.
class settings_reader {
public:
  explicit settings_reader(const yaml_value& mapping)
    : fields_(mapping.fields()) {
    // nop
  }

  /// Fills `x` from the mapping `value`; a key that `x` does not have is a
  /// fault.
  template <class T>
  static void read(const yaml_value& value, T& x) {
    auto f = settings_reader{value};
    describe(f, x);
    f.fields_.reject_unknown();
  }

  template <class T>
  void operator()(std::string_view key, T& x) {
    if (auto value = fields_.get(key))
      assign(value, x);
  }

  void name(std::string_view key, std::string& x);

  void elsewhere(std::string_view key);

  void word(std::string_view key, std::string& x, troupe::word_list allowed);

  void word_list(std::string_view key, std::vector<std::string>& x,
                 troupe::word_list allowed);

  void word_lists(std::string_view key,
                  std::map<std::string, std::vector<std::string>>& x,
                  troupe::word_list allowed);

  void path(std::string_view key, std::string& x);

  void paths(std::string_view key, std::map<std::string, std::string>& x);

  void url(std::string_view key, std::string& x);

  void target(std::string_view key, std::string& x, std::string& folder);

  void json(std::string_view key, std::string& x);

  void variables(std::string_view key, std::map<std::string, std::string>& x);

  void texts(std::string_view key, std::map<std::string, std::string>& x);

  void tools(std::string_view key, std::vector<std::string>& x);

  template <class Describe>
  void section(std::string_view key, Describe describe_section) {
    auto f = settings_reader{fields_.get(key)};
    describe_section(f);
    f.fields_.reject_unknown();
  }

  template <class Describe>
  void shorthand(std::string_view key, std::string& x,
                 troupe::word_list allowed, Describe describe_section) {
    auto value = fields_.get(key);
    if (value && !value.is_mapping() && !value.is_null()) {
      read_shorthand(value, x, allowed);
      return;
    }
    if (value.is_mapping())
      x.clear();
    auto f = settings_reader{value};
    describe_section(f);
    f.fields_.reject_unknown();
  }

  /// The fields, to ask for keys that a description does not have.
  yaml_fields& fields() noexcept {
    return fields_;
  }

private:
  template <class T, class From>
  static void assign_found(T& x, From&& found) {
    if (found)
      x = static_cast<T>(*std::forward<From>(found));
  }

  static void assign(const yaml_value& value, std::string& x) {
    assign_found(x, value.text());
  }

  static void assign(const yaml_value& value, secret& x) {
    assign_found(x, value.hidden());
  }

  static void assign(const yaml_value& value, bool& x) {
    assign_found(x, value.flag());
  }

  static void assign(const yaml_value& value, uint32_t& x) {
    assign_found(x, value.count());
  }

  // A count is 32 bits wide in all settings, a size 64.
  static void assign(const yaml_value& value, uint64_t& x) {
    assign_found(x, value.size());
  }

  static void assign(const yaml_value& value, double& x) {
    assign_found(x, value.number());
  }

  static void assign(const yaml_value& value, caf::timespan& x) {
    assign_found(x, value.duration());
  }

  static void assign(const yaml_value& value, std::vector<std::string>& x) {
    assign_found(x, value.texts());
  }

  template <worded E>
  static void assign(const yaml_value& value, E& x) {
    auto found = value.word(enum_words<E>::names);
    for (size_t i = 0; found && i < enum_words<E>::names.size(); ++i)
      if (enum_words<E>::names[i] == *found)
        x = static_cast<E>(i);
  }

  template <class T>
  static void assign(const yaml_value& value, std::optional<T>& x) {
    if (value.is_null())
      x.reset();
    else
      assign(value, x.emplace());
  }

  // A map that is given replaces the default one.
  template <class T>
  static void assign(const yaml_value& value, std::map<std::string, T>& x) {
    x.clear();
    for (const auto& [name, element] : value.entries())
      assign(element, x[name]);
  }

  template <settings_section T>
  static void assign(const yaml_value& value, T& x) {
    read(value, x);
  }

  static void read_shorthand(const yaml_value& value, std::string& x,
                             troupe::word_list allowed);

  yaml_fields fields_;
};

} // namespace troupe
