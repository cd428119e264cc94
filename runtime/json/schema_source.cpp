#include "troupe/runtime/json/detail/schema_source.hpp"

#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/json/schema_place.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace troupe::detail {

namespace {

using nlohmann::json;

// valijson parses and checks by recursion; these keep its stack far from the
// end on a thread with 8 MiB.
constexpr size_t max_nodes = 20'000;
constexpr size_t max_depth = 64;
constexpr size_t max_total_depth = 600;
constexpr size_t max_entries = 64;

constexpr auto type_names = std::array{"null",   "boolean", "integer", "number",
                                       "string", "array",   "object"};

class rewriter {
public:
  explicit rewriter(const json& root) : root_(root) {
    // nop
  }

  schema_source run();

private:
  struct definition {
    const json* source = nullptr;
    std::string pointer;
    size_t depth = 1;
    size_t chain = 1;
    /// Definitions that apply to the same value, or to a part of it, and how
    /// deep in the chain that is said.
    std::map<size_t, size_t> same_value;
    std::map<size_t, size_t> parts;
  };

  json rewrite(const json& source, const place& here);
  json rewrite_object(const json& source, const place& here);
  json reference(const json& target, const place& here);
  size_t define(const json& source, std::string pointer);
  size_t longest_chain(size_t index, std::vector<int>& state,
                       std::vector<size_t>& found) const;

  void copy_bounds(const json& source, json& result, const place& here) const;
  void copy_strings(const json& source, json& result, const place& here) const;
  void copy_values(const json& source, json& result, const place& here) const;
  void copy_logic(const json& source, json& result, const place& here);
  void copy_items(const json& source, json& result, const place& here);
  void copy_properties(const json& source, json& result, const place& here);
  void copy_patterns(const json& source, json& result, const place& here);
  void copy_dependencies(const json& source, json& result, const place& here);
  json rewrite_list(const json& list, const place& here, bool same_value);
  json rewrite_map(const json& map, const place& here, bool same_value);

  const json& root_;
  std::vector<definition> definitions_;
  std::map<std::string, size_t> by_pointer_;
  std::vector<size_t> entries_;
  size_t nodes_ = 0;
};

[[noreturn]] void fail(const place& here, const std::string& what) {
  throw schema_fault{here.pointer, what};
}

const json* find(const json& source, const char* keyword) {
  auto i = source.find(keyword);
  return i == source.end() ? nullptr : &*i;
}

void expect(bool condition, const json& got, const place& here,
            std::string_view what) {
  if (!condition)
    fail(here, "must be " + std::string{what} + ", not "
                 + excerpt(dump_json(got), 60));
}

void expect_strings(const json& list, const place& here) {
  expect(list.is_array(), list, here, "a list of property names");
  for (const auto& item : list)
    expect(item.is_string(), item, here, "a list of property names");
}

// valijson takes C strings for names.
void expect_name(const std::string& name, const place& here) {
  if (name.find('\0') != std::string::npos)
    fail(here, "a property name must not contain a NUL character");
}

json rewrite_type(const json& type, const place& here) {
  auto list = type.is_array() ? type : json::array({type});
  for (const auto& item : list) {
    auto known = item.is_string()
                 && std::find(type_names.begin(), type_names.end(),
                              item.get_ref<const std::string&>())
                      != type_names.end();
    expect(known, item, here,
           "null, boolean, integer, number, string, array, object or a list "
           "of these");
  }
  expect(!list.empty(), type, here, "a type");
  return list;
}

// Draft 4 has a flag beside the bound, later drafts a bound of its own.
void copy_limit(const json& source, json& result, const place& here,
                const char* inclusive, const char* exclusive) {
  auto* bound = find(source, inclusive);
  auto* strict = find(source, exclusive);
  if (bound != nullptr)
    expect(bound->is_number(), *bound, here.at(inclusive), "a number");
  if (strict != nullptr && strict->is_boolean()) {
    if (bound != nullptr)
      result[strict->get<bool>() ? exclusive : inclusive] = *bound;
    return;
  }
  if (bound != nullptr)
    result[inclusive] = *bound;
  if (strict != nullptr) {
    expect(strict->is_number(), *strict, here.at(exclusive), "a number");
    result[exclusive] = *strict;
  }
}

schema_source rewriter::run() {
  define(root_, "");
  auto result = schema_source{};
  auto total = size_t{0};
  // A reference found on the way appends to the list.
  for (auto i = size_t{0}; i < definitions_.size(); ++i) {
    auto here = place{definitions_[i].pointer, i};
    result.definitions[std::to_string(i)] = rewrite(*definitions_[i].source,
                                                    here);
    total += definitions_[i].depth;
    if (total > max_total_depth)
      fail(here, "the schema and what it refers to are too deep");
  }
  auto state = std::vector<int>(definitions_.size());
  auto found = std::vector<size_t>(definitions_.size());
  for (auto i = size_t{0}; i < definitions_.size(); ++i)
    result.chain = std::max(result.chain, longest_chain(i, state, found));
  for (const auto& it : definitions_)
    for (auto [target, chain] : it.parts)
      result.chain = std::max(result.chain, chain + found[target]);
  result.entries = std::move(entries_);
  return result;
}

size_t rewriter::longest_chain(size_t index, std::vector<int>& state,
                               std::vector<size_t>& found) const {
  constexpr auto open = 1;
  constexpr auto closed = 2;
  const auto& it = definitions_[index];
  if (state[index] == open)
    throw schema_fault{it.pointer, "the schema refers to itself without end"};
  if (state[index] == closed)
    return found[index];
  state[index] = open;
  auto result = it.chain;
  for (auto [target, chain] : it.same_value)
    result = std::max(result, chain + longest_chain(target, state, found));
  state[index] = closed;
  found[index] = result;
  return result;
}

size_t rewriter::define(const json& source, std::string pointer) {
  auto [i, is_new] = by_pointer_.emplace(pointer, definitions_.size());
  if (is_new)
    definitions_.push_back({&source, std::move(pointer), 1, 1, {}, {}});
  return i->second;
}

json rewriter::rewrite(const json& source, const place& here) {
  auto& owner = definitions_[here.definition];
  owner.depth = std::max(owner.depth, here.depth);
  owner.chain = std::max(owner.chain, here.chain);
  if (++nodes_ > max_nodes || here.depth > max_depth)
    fail(here, "the schema is too large");
  if (source.is_boolean())
    return source.get<bool>() ? json::object()
                              : json{{type_keyword, json::array()}};
  expect(source.is_object(), source, here, "a schema: an object or a boolean");
  auto result = rewrite_object(source, here);
  auto* target = find(source, "$ref");
  if (target == nullptr)
    return result;
  auto link = reference(*target, here.at("$ref"));
  if (result.size() == 1) // the step alone
    return link;
  return json{{"allOf", {std::move(link), std::move(result)}}};
}

json rewriter::rewrite_object(const json& source, const place& here) {
  auto result = json{{step_keyword, true}};
  copy_bounds(source, result, here);
  copy_strings(source, result, here);
  copy_values(source, result, here);
  copy_logic(source, result, here);
  copy_items(source, result, here);
  copy_properties(source, result, here);
  copy_dependencies(source, result, here);
  return result;
}

json rewriter::reference(const json& target, const place& here) {
  expect(target.is_string(), target, here, "a text");
  auto text = target.get<std::string>();
  if (text.empty() || text[0] != '#' || (text.size() > 1 && text[1] != '/'))
    fail(here, "must be a JSON pointer into this schema (\"#/…\"), not "
                 + excerpt(dump_json(target), 60));
  text.erase(0, 1);
  auto pointer = json::json_pointer{text}; // throws on bad escapes
  if (!root_.contains(pointer))
    fail(here, "leads nowhere: " + excerpt(text, 60));
  auto index = define(root_.at(pointer), text);
  auto& owner = definitions_[here.definition];
  auto& depth = (here.is_whole ? owner.same_value : owner.parts)[index];
  depth = std::max(depth, here.chain);
  return json{{"$ref", "#/definitions/" + std::to_string(index)}};
}

void rewriter::copy_bounds(const json& source, json& result,
                           const place& here) const {
  copy_limit(source, result, here, "minimum", "exclusiveMinimum");
  copy_limit(source, result, here, "maximum", "exclusiveMaximum");
  auto count = [&](const char* keyword) {
    auto* value = find(source, keyword);
    if (value != nullptr)
      expect(value->is_number_unsigned() && *value <= 1u << 30, *value,
             here.at(keyword), "a whole number from 0");
    return value;
  };
  for (auto keyword :
       {"minItems", "maxItems", "minProperties", "maxProperties"})
    if (auto* value = count(keyword))
      result[keyword] = *value;
  if (auto* value = count("minLength"))
    result[length_keyword]["min"] = *value;
  if (auto* value = count("maxLength"))
    result[length_keyword]["max"] = *value;
  if (auto* value = find(source, "multipleOf")) {
    expect(value->is_number() && value->get<double>() > 0, *value,
           here.at("multipleOf"), "a number above 0");
    result[multiple_keyword] = *value;
  }
}

void rewriter::copy_strings(const json& source, json& result,
                            const place& here) const {
  if (auto* value = find(source, "pattern")) {
    expect(value->is_string(), *value, here.at("pattern"), "a pattern");
    result[pattern_keyword] = *value;
  }
  if (auto* value = find(source, "required")) {
    expect_strings(*value, here.at("required"));
    for (const auto& name : *value)
      expect_name(name.get_ref<const std::string&>(), here.at("required"));
    if (!value->empty())
      result["required"] = *value;
  }
}

void rewriter::copy_values(const json& source, json& result,
                           const place& here) const {
  if (auto* value = find(source, "type"))
    result[type_keyword] = rewrite_type(*value, here.at("type"));
  if (auto* value = find(source, "enum")) {
    expect(value->is_array() && !value->empty(), *value, here.at("enum"),
           "a list of values");
    result[enum_keyword] = *value;
  }
  // A value that must be two things at once cannot be said as one list.
  if (auto* value = find(source, "const")) {
    auto list = json::array({*value});
    if (result.contains(enum_keyword))
      result["allOf"].push_back({{enum_keyword, std::move(list)}});
    else
      result[enum_keyword] = std::move(list);
  }
  if (auto* value = find(source, "uniqueItems")) {
    expect(value->is_boolean(), *value, here.at("uniqueItems"),
           "true or false");
    if (value->get<bool>())
      result[unique_keyword] = true;
  }
}

json rewriter::rewrite_list(const json& list, const place& here,
                            bool same_value) {
  expect(list.is_array() && !list.empty(), list, here, "a list of schemas");
  auto result = json::array();
  for (const auto& item : list) {
    auto token = std::to_string(result.size());
    result.push_back(
      rewrite(item, same_value ? here.same_value(token) : here.part(token)));
  }
  return result;
}

json rewriter::rewrite_map(const json& map, const place& here,
                           bool same_value) {
  expect(map.is_object(), map, here, "an object of schemas");
  auto result = json::object();
  for (const auto& [name, item] : map.items()) {
    expect_name(name, here);
    result[name] = rewrite(item, same_value ? here.same_value(name)
                                            : here.part(name));
  }
  return result;
}

void rewriter::copy_logic(const json& source, json& result, const place& here) {
  for (auto keyword : {"allOf", "anyOf", "oneOf"}) {
    auto* list = find(source, keyword);
    if (list == nullptr)
      continue;
    for (auto& item : rewrite_list(*list, here.at(keyword), true))
      result[keyword].push_back(std::move(item));
  }
  for (auto keyword : {"not", "if", "then", "else"})
    if (auto* item = find(source, keyword))
      result[keyword] = rewrite(*item, here.same_value(keyword));
}

void rewriter::copy_items(const json& source, json& result, const place& here) {
  auto* items = find(source, "items");
  auto* prefix = find(source, "prefixItems");
  auto* rest = prefix != nullptr ? items : find(source, "additionalItems");
  auto rest_keyword = prefix != nullptr ? "items" : "additionalItems";
  if (prefix == nullptr && items != nullptr && items->is_array())
    prefix = items;
  if (prefix != nullptr) {
    if (!prefix->empty() || !prefix->is_array())
      result["items"] = rewrite_list(*prefix, here.at("items"), false);
    else
      result["items"] = json::array();
    // What is not said is allowed; valijson wants to be told.
    result["additionalItems"]
      = rest == nullptr ? json(true) : rewrite(*rest, here.part(rest_keyword));
  } else if (items != nullptr) {
    result["items"] = rewrite(*items, here.part("items"));
  }
  if (auto* item = find(source, "contains"))
    result["contains"] = rewrite(*item, here.part("contains"));
}

void rewriter::copy_properties(const json& source, json& result,
                               const place& here) {
  auto known = json::array();
  if (auto* map = find(source, "properties")) {
    result["properties"] = rewrite_map(*map, here.at("properties"), false);
    for (const auto& [name, item] : map->items())
      known.push_back(name);
  }
  if (auto* item = find(source, "propertyNames"))
    result["propertyNames"] = rewrite(*item, here.part("propertyNames"));
  if (find(source, "patternProperties") != nullptr) {
    copy_patterns(source, result, here);
    result[patterns_keyword]["known"] = std::move(known);
    return;
  }
  auto* rest = find(source, "additionalProperties");
  if (rest == nullptr)
    return;
  if (*rest == false)
    result[closed_keyword] = std::move(known);
  else
    result["additionalProperties"] = rewrite(*rest,
                                             here.part("additionalProperties"));
}

// Matching is ours, so the schemas must be reachable on their own.
void rewriter::copy_patterns(const json& source, json& result,
                             const place& here) {
  auto inside = here.at("patternProperties");
  const auto& map = source["patternProperties"];
  expect(map.is_object(), map, inside, "an object of schemas");
  auto entry = [&](const json& schema, const place& at) {
    if (entries_.size() == max_entries)
      fail(at, "the schema has too many property patterns");
    entries_.push_back(define(schema, at.pointer));
    return entries_.size() - 1;
  };
  auto& rule = result[patterns_keyword];
  rule["patterns"] = json::array();
  for (const auto& [pattern, schema] : map.items())
    rule["patterns"].push_back({pattern, entry(schema, inside.at(pattern))});
  auto* rest = find(source, "additionalProperties");
  if (rest != nullptr && *rest == false)
    rule["closed"] = true;
  else if (rest != nullptr)
    rule["rest"] = entry(*rest, here.at("additionalProperties"));
}

void rewriter::copy_dependencies(const json& source, json& result,
                                 const place& here) {
  for (auto keyword :
       {"dependencies", "dependentRequired", "dependentSchemas"}) {
    auto* map = find(source, keyword);
    if (map == nullptr)
      continue;
    auto inside = here.at(keyword);
    expect(map->is_object(), *map, inside, "an object");
    for (const auto& [name, item] : map->items()) {
      expect_name(name, inside);
      if (item.is_array())
        expect_strings(item, inside.at(name));
      result["dependencies"][name]
        = item.is_array() ? item : rewrite(item, inside.same_value(name));
    }
  }
}

} // namespace

schema_source rewrite_schema(const json& schema) {
  return rewriter{schema}.run();
}

} // namespace troupe::detail
