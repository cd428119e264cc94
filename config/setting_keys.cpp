#include "troupe/config/setting_keys.hpp"

#include "troupe/config/describe_settings.hpp"

#include <concepts>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

// The visitor of `describe` that only writes down the keys.
class key_lister {
public:
  key_lister(std::vector<setting_key>& result, std::string prefix)
    : result_(result),
      prefix_(std::move(prefix)) {
    // nop
  }

  template <class T>
  void operator()(std::string_view key, T& x) {
    list(key, x);
  }

  void name(std::string_view key, std::string&) {
    add(key, true);
  }

  void elsewhere(std::string_view key) {
    add(key, false);
  }

  void word(std::string_view key, std::string&, troupe::word_list) {
    add(key, true);
  }

  void word_list(std::string_view key, std::vector<std::string>&,
                 troupe::word_list) {
    add(key, false);
  }

  template <class T>
  void word_lists(std::string_view key, T&, troupe::word_list) {
    add(key, false);
  }

  void path(std::string_view key, std::string&) {
    add(key, true);
  }

  template <class T>
  void paths(std::string_view key, T&) {
    add(std::string{key} + ".*", true);
  }

  void url(std::string_view key, std::string&) {
    add(key, true);
  }

  void target(std::string_view key, std::string&, std::string&) {
    add(key, true);
  }

  void json(std::string_view key, std::string&) {
    add(key, false);
  }

  template <class T>
  void variables(std::string_view key, T&) {
    add(key, false);
  }

  template <class T>
  void texts(std::string_view key, T&) {
    add(key, false);
  }

  template <class T>
  void tools(std::string_view key, T&) {
    add(key, false);
  }

  template <class Describe>
  void section(std::string_view key, Describe describe_section) {
    auto f = key_lister{result_, prefix_ + std::string{key} + '.'};
    describe_section(f);
  }

  template <class Describe>
  void shorthand(std::string_view key, std::string&, troupe::word_list,
                 Describe describe_section) {
    add(key, true);
    section(key, describe_section);
  }

private:
  void add(std::string_view key, bool is_scalar) {
    result_.push_back({prefix_ + std::string{key}, is_scalar});
  }

  void list(std::string_view key, std::vector<std::string>&) {
    add(key, false);
  }

  void list(std::string_view key, std::string&) {
    add(key, true);
  }

  void list(std::string_view key, secret&) {
    add(key, true);
  }

  void list(std::string_view key, caf::timespan&) {
    add(key, true);
  }

  void list(std::string_view key, double&) {
    add(key, true);
  }

  template <std::integral T>
  void list(std::string_view key, T&) {
    add(key, true);
  }

  template <worded T>
  void list(std::string_view key, T&) {
    add(key, true);
  }

  template <class T>
  void list(std::string_view key, std::optional<T>&) {
    auto x = T{};
    list(key, x);
  }

  template <class T>
  void list(std::string_view key, std::map<std::string, T>&) {
    auto x = T{};
    list(std::string{key} + ".*", x);
  }

  template <settings_section T>
  void list(std::string_view key, T& x) {
    section(key, [&x](auto& f) { describe(f, x); });
  }

  std::vector<setting_key>& result_;
  std::string prefix_;
};

template <class T>
std::vector<setting_key> keys_of(T x) {
  auto result = std::vector<setting_key>{};
  auto f = key_lister{result, {}};
  describe(f, x);
  return result;
}

} // namespace

std::vector<setting_key> setting_keys() {
  return keys_of(settings{});
}

std::vector<setting_key> agent_keys() {
  return keys_of(agent_settings{});
}

} // namespace troupe
