#include "troupe/config/layers.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

yaml_member* find(yaml_node& mapping, std::string_view key) {
  auto i = std::find_if(mapping.members.begin(), mapping.members.end(),
                        [&](const auto& x) { return x.key.text == key; });
  return i == mapping.members.end() ? nullptr : &*i;
}

// A path may nest as deeply as a text.
bool is_key_path(std::string_view path) {
  auto dots = std::count(path.begin(), path.end(), '.');
  return !path.empty() && path.front() != '.' && path.back() != '.'
         && path.find("..") == std::string_view::npos
         && static_cast<size_t>(dots) < yaml_limits{}.depth;
}

void collect(const yaml_node& node, const std::string& path,
             std::map<std::string, std::string>& result) {
  if (node.members.empty()) {
    if (!path.empty())
      result[path] = where(node);
    return;
  }
  for (const auto& [key, value] : node.members)
    collect(value, path + (path.empty() ? "" : ".") + key.text, result);
}

} // namespace

void merge_over(yaml_node& lower, yaml_node higher) {
  auto is_section = lower.kind == yaml_kind::mapping;
  if (is_section && higher.kind == yaml_kind::null)
    return;
  if (!is_section || higher.kind != yaml_kind::mapping) {
    lower = std::move(higher);
    return;
  }
  // Found by name in a map: a search for each key would be quadratic.
  auto positions = std::map<std::string, size_t, std::less<>>{};
  for (size_t i = 0; i < lower.members.size(); ++i)
    positions.emplace(lower.members[i].key.text, i);
  for (auto& member : higher.members) {
    auto i = positions.find(member.key.text);
    if (i == positions.end())
      lower.members.push_back(std::move(member));
    else
      merge_over(lower.members[i->second].value, std::move(member.value));
  }
}

bool put_at(yaml_node& root, std::string_view path, yaml_node value) {
  if (!is_key_path(path))
    return false;
  auto* section = &root;
  while (true) {
    auto dot = path.find('.');
    auto key = path.substr(0, dot);
    if (section->kind != yaml_kind::mapping)
      return false;
    auto* member = find(*section, key);
    auto is_last = dot == std::string_view::npos;
    if (member == nullptr) {
      auto name = make_scalar(std::string{key}, value.source);
      auto empty = is_last ? yaml_node{} : make_mapping(value.source);
      section->members.push_back({std::move(name), std::move(empty)});
      member = &section->members.back();
    }
    if (is_last) {
      member->value = std::move(value);
      return true;
    }
    section = &member->value;
    path.remove_prefix(dot + 1);
  }
}

std::map<std::string, std::string> places_of(const yaml_node& root) {
  auto result = std::map<std::string, std::string>{};
  collect(root, {}, result);
  return result;
}

std::string place_of_key(const std::map<std::string, std::string>& places,
                         std::string path) {
  while (!path.empty()) {
    if (auto i = places.find(path); i != places.end())
      return i->second;
    auto section = path + '.';
    auto i = places.lower_bound(section);
    if (i != places.end() && i->first.starts_with(section))
      return i->second;
    // Up to the section, or to the list.
    auto end = path.find_last_of(".[");
    path.resize(end == std::string::npos ? 0 : end);
  }
  return "default";
}

yaml_node make_mapping(std::shared_ptr<const yaml_source> source) {
  auto result = yaml_node{};
  result.kind = yaml_kind::mapping;
  result.source = std::move(source);
  return result;
}

yaml_node make_scalar(std::string text,
                      std::shared_ptr<const yaml_source> source) {
  auto result = yaml_node{};
  result.kind = yaml_kind::scalar;
  result.text = std::move(text);
  result.source = std::move(source);
  return result;
}

} // namespace troupe
