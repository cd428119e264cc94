#pragma once

#include "troupe/config/agent_settings.hpp"
#include "troupe/config/yaml_reader.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Where the definitions of participants come from while a file is read. What
/// is wrong with one is reported, and null is returned.
class definition_source {
public:
  definition_source() = default;
  definition_source(const definition_source&) = delete;
  definition_source& operator=(const definition_source&) = delete;
  virtual ~definition_source();

  /// What the file `path`, named at `place`, defines.
  virtual std::shared_ptr<const definition_settings>
  from_file(const yaml_value& place, const std::string& path) = 0;

  /// Whether the file `path` is a helper that is looked up when it is needed:
  /// one that is being read, as agents may have themselves work for them.
  virtual bool is_found_later(const std::string& path) const = 0;

  /// What an inline mapping defines.
  virtual std::shared_ptr<const definition_settings>
  from_mapping(const yaml_value& mapping) = 0;

  /// As above, for the mapping without some of its keys.
  virtual std::shared_ptr<const definition_settings>
  from_mapping_without(const yaml_value& mapping,
                       std::span<const std::string_view> keys)
    = 0;
};

/// Reads a participant: a name, a file, or a mapping of one of them, or an
/// inline definition, with how it is asked.
participant_settings read_participant(const yaml_value& value,
                                      definition_source& from);

/// Reads one out of a mapping that says more: `key` names it. The caller
/// rejects the keys that nobody knows.
participant_settings read_participant(yaml_fields& fields, std::string_view key,
                                      definition_source& from);

/// Whether `word` is one of the contract's kinds of errors, or "provider",
/// which is nine of them.
bool is_error_word(std::string_view word) noexcept;

/// A list of such words.
std::vector<std::string> read_error_kinds(const yaml_value& list);

} // namespace troupe
