#include "troupe/config/settings_writer.hpp"

#include "troupe/config/describe_settings.hpp"
#include "troupe/config/parse_units.hpp"
#include "troupe/config/redact.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace troupe {

namespace {

using tree = nlohmann::ordered_json;

void mask_members(tree& x) {
  for (auto& [key, value] : x.items()) {
    if (value.is_structured())
      mask_members(value);
    else if (value.is_string() && looks_secret(key))
      value = secret_mask;
  }
}

void redact_all(tree& x, const std::set<std::string>& secrets) {
  if (x.is_string())
    x = redact(x.get<std::string>(), secrets);
  for (auto& element : x)
    if (x.is_structured())
      redact_all(element, secrets);
}

// The visitor of `describe` that makes the JSON form. It masks what a key says
// is a secret; `redact_all` finds known secrets in other places.
class settings_writer {
public:
  explicit settings_writer(tree& result) : result_(result) {
    // nop
  }

  template <class T>
  void operator()(std::string_view key, T& x) {
    put(key, convert(x));
  }

  void word(std::string_view key, std::string& x, troupe::word_list) {
    put(key, x);
  }

  template <class T>
  void word_list(std::string_view key, T& x, troupe::word_list) {
    put(key, x);
  }

  template <class T>
  void word_lists(std::string_view key, T& x, troupe::word_list) {
    put(key, convert(x));
  }

  void path(std::string_view key, std::string& x) {
    put(key, x);
  }

  template <class T>
  void paths(std::string_view key, T& x) {
    put(key, convert(x));
  }

  void url(std::string_view key, std::string& x) {
    put(key, mask_url(x));
  }

  void target(std::string_view key, std::string& x, std::string&) {
    put(key, x);
  }

  void json(std::string_view key, std::string& x) {
    auto value = tree::parse(x, nullptr, false);
    if (!value.is_object())
      value = tree::object();
    mask_members(value);
    put(key, std::move(value));
  }

  template <class T>
  void variables(std::string_view key, T& x) {
    auto value = convert(x);
    mask_members(value);
    put(key, std::move(value));
  }

  template <class T>
  void texts(std::string_view key, T& x) {
    put(key, convert(x));
  }

  template <class Describe>
  void section(std::string_view key, Describe describe_section) {
    auto value = tree::object();
    auto f = settings_writer{value};
    describe_section(f);
    put(key, std::move(value));
  }

  template <class Describe>
  void shorthand(std::string_view key, std::string& x, troupe::word_list,
                 Describe describe_section) {
    if (x.empty())
      section(key, describe_section);
    else
      put(key, x);
  }

private:
  static tree convert(const std::string& x) {
    return x;
  }

  static tree convert(const secret& x) {
    return x.empty() ? std::string_view{} : secret_mask;
  }

  static tree convert(caf::timespan x) {
    return format_duration(x);
  }

  static tree convert(uint64_t x) {
    return format_size(x);
  }

  static tree convert(uint32_t x) {
    return x;
  }

  static tree convert(bool x) {
    return x;
  }

  static tree convert(double x) {
    return x;
  }

  template <worded E>
  static tree convert(E x) {
    return enum_words<E>::names.at(static_cast<size_t>(x));
  }

  static tree convert(const std::vector<std::string>& x) {
    return x;
  }

  template <class T>
  static tree convert(std::optional<T>& x) {
    return x ? convert(*x) : tree{};
  }

  template <class T>
  static tree convert(std::map<std::string, T>& x) {
    auto result = tree::object();
    for (auto& [key, value] : x)
      result.get_ref<tree::object_t&>().push_back({key, convert(value)});
    return result;
  }

  template <settings_section T>
  static tree convert(T& x) {
    auto result = tree::object();
    auto f = settings_writer{result};
    describe(f, x);
    return result;
  }

  void put(std::string_view key, tree value) {
    result_.get_ref<tree::object_t&>().push_back(
      {std::string{key}, std::move(value)});
  }

  tree& result_;
};

} // namespace

nlohmann::ordered_json to_masked_json(const loaded_settings& x) {
  auto result = tree::object();
  result["version"] = 1;
  auto f = settings_writer{result};
  auto copy = x.settings;
  describe(f, copy);
  redact_all(result, x.secrets);
  return result;
}

} // namespace troupe
