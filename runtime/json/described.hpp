#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include "caf/expected.hpp"

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace troupe {

// JSON from plain structs: describe a struct once, and its JSON Schema, its
// reader and its writer exist.
//
//   struct search {
//     std::string text;
//     std::optional<uint32_t> max;
//   };
//   BOOST_DESCRIBE_STRUCT(search, (), (text, max))
//
//   // Optional: what a model is told about the members.
//   template <>
//   struct troupe::described_docs<search> {
//     static constexpr member_doc members[] = {{"text", "what to look for"}};
//   };
//
// A member may be bool, an integer, a floating-point number, std::string, an
// enum described with BOOST_DESCRIBE_ENUM (a string in JSON), a described
// struct, and std::vector, std::optional or std::map<std::string, …> of these.
// A std::optional member may be missing or null; every other one is required.
// What the JSON has beyond the members is an error. A struct must not contain
// itself.

/// What a model is told about one member.
struct member_doc {
  const char* name;
  const char* text;
};

/// Specialise it to document the members of T, see above.
template <class T>
struct described_docs {};

/// A struct described with BOOST_DESCRIBE_STRUCT.
template <class T>
concept described_struct = std::is_class_v<T>
                           && boost::describe::has_describe_members<T>::value;

/// The JSON Schema of T: properties in the order of the members.
template <described_struct T>
std::string schema_of();

/// Reads a T. Text that is no JSON and values that do not fit are errors of
/// kind protocol that name the place ("/max: expected a whole number…").
template <described_struct T>
caf::expected<T> from_json_text(std::string_view text);

/// Compact JSON, members in order, empty optionals left out.
template <described_struct T>
std::string to_json_text(const T& x);

namespace detail {

using ordered_json = nlohmann::ordered_json;

template <class T>
struct is_vector : std::false_type {};

template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

template <class T>
struct is_optional : std::false_type {};

template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

template <class T>
struct is_string_map : std::false_type {};

template <class T>
struct is_string_map<std::map<std::string, T>> : std::true_type {};

template <class T>
concept described_enum = std::is_enum_v<T>
                         && boost::describe::has_describe_enumerators<T>::value;

template <class T>
concept whole_number = std::integral<T> && !std::same_as<T, bool>;

template <class T>
constexpr bool unsupported = false;

// Calls f(name, pointer to member) for each member of T, bases included.
template <class T, class F>
void for_each_member(F f) {
  namespace bd = boost::describe;
  using members = bd::describe_members<T, bd::mod_public | bd::mod_inherited>;
  boost::mp11::mp_for_each<members>([&](auto d) { f(d.name, d.pointer); });
}

template <described_enum T, class F>
void for_each_enumerator(F f) {
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
    [&](auto d) { f(d.name, d.value); });
}

template <class T>
std::string_view doc_of(std::string_view member) {
  if constexpr (requires { described_docs<T>::members; })
    for (const auto& doc : described_docs<T>::members)
      if (doc.name == member)
        return doc.text;
  return {};
}

template <class T>
ordered_json schema_for();

template <class T>
ordered_json struct_schema() {
  auto properties = ordered_json::object();
  auto required = ordered_json::array();
  for_each_member<T>([&]<class C, class M>(const char* name, M C::*) {
    properties[name] = schema_for<M>();
    if (auto doc = doc_of<T>(name); !doc.empty())
      properties[name]["description"] = doc;
    if (!is_optional<M>::value)
      required.push_back(name);
  });
  auto result = ordered_json{{"type", "object"}};
  result["properties"] = std::move(properties);
  result["required"] = std::move(required);
  result["additionalProperties"] = false;
  return result;
}

template <whole_number T>
ordered_json integer_schema() {
  auto result = ordered_json{{"type", "integer"}};
  // Bounds of 64 bits are no use to a model, and not every reader of schemas
  // can hold them.
  if (std::is_unsigned_v<T> || sizeof(T) < sizeof(int64_t))
    result["minimum"] = std::numeric_limits<T>::min();
  if (sizeof(T) < sizeof(int64_t))
    result["maximum"] = std::numeric_limits<T>::max();
  return result;
}

template <described_enum T>
ordered_json enum_schema() {
  auto names = ordered_json::array();
  for_each_enumerator<T>([&](const char* name, T) { names.push_back(name); });
  auto result = ordered_json{{"type", "string"}};
  result["enum"] = std::move(names);
  return result;
}

template <class T>
ordered_json schema_for() {
  if constexpr (std::same_as<T, bool>)
    return {{"type", "boolean"}};
  else if constexpr (whole_number<T>)
    return integer_schema<T>();
  else if constexpr (std::floating_point<T>)
    return {{"type", "number"}};
  else if constexpr (std::same_as<T, std::string>)
    return {{"type", "string"}};
  else if constexpr (described_enum<T>)
    return enum_schema<T>();
  else if constexpr (is_optional<T>::value)
    return schema_for<typename T::value_type>();
  else if constexpr (is_vector<T>::value)
    return {{"type", "array"}, {"items", schema_for<typename T::value_type>()}};
  else if constexpr (is_string_map<T>::value)
    return {{"type", "object"},
            {"additionalProperties", schema_for<typename T::mapped_type>()}};
  else if constexpr (described_struct<T>)
    return struct_schema<T>();
  else
    static_assert(unsupported<T>, "this type has no JSON form");
}

/// Where a reader is and what was wrong first.
class reading {
public:
  const nlohmann::json& value() const {
    return *value_;
  }

  explicit reading(const nlohmann::json& value) : value_(&value) {
    // nop
  }

  reading at(const std::string& token, const nlohmann::json& value) const {
    auto result = reading{value};
    result.pointer_ = pointer_ + "/" + token;
    return result;
  }

  caf::error mismatch(const std::string& expected) const {
    auto got = excerpt(dump_json(*value_), 60);
    return fail("expected " + expected + ", got " + got);
  }

  caf::error fail(const std::string& message) const {
    return make_error(errc::protocol,
                      (pointer_.empty() ? "" : pointer_ + ": ") + message);
  }

private:
  const nlohmann::json* value_;
  std::string pointer_;
};

template <class T>
caf::error read_value(const reading& in, T& out);

template <whole_number T>
caf::error read_integer(const reading& in, T& out) {
  const auto& value = in.value();
  auto fits = [&](auto x) { return std::in_range<T>(x); };
  if (value.is_number_unsigned() && fits(value.get<uint64_t>()))
    out = static_cast<T>(value.get<uint64_t>());
  else if (value.is_number_integer() && !value.is_number_unsigned()
           && fits(value.get<int64_t>()))
    out = static_cast<T>(value.get<int64_t>());
  // Models write 2.0 where they mean 2.
  else if (auto x = value.is_number_float() ? value.get<double>() : 0.5;
           x > -9.0e15 && x < 9.0e15
           && x == static_cast<double>(static_cast<int64_t>(x))
           && fits(static_cast<int64_t>(x)))
    out = static_cast<T>(x);
  else
    return in.mismatch("a whole number from "
                       + std::to_string(std::numeric_limits<T>::min()) + " to "
                       + std::to_string(std::numeric_limits<T>::max()));
  return {};
}

template <described_enum T>
caf::error read_enum(const reading& in, T& out) {
  auto names = std::string{};
  auto found = false;
  for_each_enumerator<T>([&](const char* name, T value) {
    names += (names.empty() ? "" : ", ") + std::string{name};
    if (in.value().is_string() && in.value() == name) {
      out = value;
      found = true;
    }
  });
  return found ? caf::error{} : in.mismatch("one of " + names);
}

template <class T>
caf::error read_vector(const reading& in, std::vector<T>& out) {
  if (!in.value().is_array())
    return in.mismatch("an array");
  for (const auto& item : in.value()) {
    auto element = T{};
    auto token = std::to_string(out.size());
    if (auto why = read_value(in.at(token, item), element))
      return why;
    out.push_back(std::move(element));
  }
  return {};
}

template <class T>
caf::error read_map(const reading& in, std::map<std::string, T>& out) {
  if (!in.value().is_object())
    return in.mismatch("an object");
  for (const auto& [name, item] : in.value().items())
    if (auto why = read_value(in.at(name, item), out[name]))
      return why;
  return {};
}

template <described_struct T>
caf::error read_struct(const reading& in, T& out) {
  if (!in.value().is_object())
    return in.mismatch("an object");
  auto result = caf::error{};
  auto known = size_t{0};
  auto names = std::string{};
  for_each_member<T>([&]<class C, class M>(const char* name, M C::* member) {
    names += (names.empty() ? "" : ", ") + std::string{name};
    auto i = in.value().find(name);
    auto found = i != in.value().end();
    known += found ? 1 : 0;
    if (result)
      return;
    if (found)
      result = read_value(in.at(name, *i), out.*member);
    else if (!is_optional<M>::value)
      result = in.fail("missing required property '" + std::string{name} + "'");
  });
  if (!result && known != in.value().size())
    return in.fail("unexpected properties (allowed: " + names + ")");
  return result;
}

template <class T>
caf::error read_value(const reading& in, T& out) {
  const auto& value = in.value();
  if constexpr (std::same_as<T, bool>) {
    if (!value.is_boolean())
      return in.mismatch("true or false");
    out = value.get<bool>();
  } else if constexpr (whole_number<T>) {
    return read_integer(in, out);
  } else if constexpr (std::floating_point<T>) {
    if (!value.is_number())
      return in.mismatch("a number");
    out = value.get<T>();
  } else if constexpr (std::same_as<T, std::string>) {
    if (!value.is_string())
      return in.mismatch("a string");
    out = value.get<std::string>();
  } else if constexpr (described_enum<T>) {
    return read_enum(in, out);
  } else if constexpr (is_optional<T>::value) {
    if (!value.is_null())
      return read_value(in, out.emplace());
  } else if constexpr (is_vector<T>::value) {
    return read_vector(in, out);
  } else if constexpr (is_string_map<T>::value) {
    return read_map(in, out);
  } else {
    return read_struct(in, out);
  }
  return {};
}

template <class T>
ordered_json value_for(const T& x);

template <described_struct T>
ordered_json object_for(const T& x) {
  auto result = ordered_json::object();
  for_each_member<T>([&]<class C, class M>(const char* name, M C::* member) {
    if constexpr (is_optional<M>::value)
      if (!(x.*member))
        return;
    result[name] = value_for(x.*member);
  });
  return result;
}

template <class T>
ordered_json value_for(const T& x) {
  if constexpr (described_enum<T>) {
    auto result = ordered_json(static_cast<std::underlying_type_t<T>>(x));
    for_each_enumerator<T>([&](const char* name, T value) {
      if (value == x)
        result = name;
    });
    return result;
  } else if constexpr (is_optional<T>::value) {
    return x ? value_for(*x) : ordered_json{};
  } else if constexpr (is_vector<T>::value) {
    auto result = ordered_json::array();
    for (const auto& item : x)
      result.push_back(value_for<typename T::value_type>(item));
    return result;
  } else if constexpr (is_string_map<T>::value) {
    auto result = ordered_json::object();
    for (const auto& [name, item] : x)
      result[name] = value_for(item);
    return result;
  } else if constexpr (described_struct<T>) {
    return object_for(x);
  } else {
    return ordered_json(x);
  }
}

} // namespace detail

template <described_struct T>
std::string schema_of() {
  return detail::schema_for<T>().dump();
}

template <described_struct T>
caf::expected<T> from_json_text(std::string_view text) {
  auto value = parse_json(text);
  if (!value)
    return std::move(value.error());
  auto result = T{};
  if (auto why = detail::read_value(detail::reading{*value}, result))
    return why;
  return result;
}

template <described_struct T>
std::string to_json_text(const T& x) {
  using handler = detail::ordered_json::error_handler_t;
  return detail::value_for(x).dump(-1, ' ', false, handler::replace);
}

} // namespace troupe
