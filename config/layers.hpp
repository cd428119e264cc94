#pragma once

#include "troupe/config/yaml_document.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// Puts `higher` over `lower`: mappings merge key by key, anything else
/// replaces what is below it. An empty value over a mapping is an empty
/// mapping and changes nothing.
void merge_over(yaml_node& lower, yaml_node higher);

/// Puts `value` at the key path `path` ("limits.max_turns") of a mapping,
/// sections on the way included. False, and nothing changed, where the path
/// leads through a value that is not a mapping, or has an empty part.
bool put_at(yaml_node& root, std::string_view path, yaml_node value);

/// The place of each value of `root` by its key path; a list is one value, and
/// so is a mapping without keys.
std::map<std::string, std::string> places_of(const yaml_node& root);

/// The place of the key `path`, or else of one below it, or else of one near
/// it in the same section, "default" when there is none at all.
std::string place_of_key(const std::map<std::string, std::string>& places,
                         std::string path);

/// An empty mapping, and a scalar without a place in a text.
yaml_node make_mapping(std::shared_ptr<const yaml_source> source);
yaml_node make_scalar(std::string text,
                      std::shared_ptr<const yaml_source> source);

} // namespace troupe
