#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/config/environment_layer.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/config/participant_reader.hpp"
#include "troupe/config/yaml_document.hpp"

#include "caf/error.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// Reads one file and those that it names, and collects what is wrong with any
/// of them.
class definition_loader : public definition_source {
public:
  using pointer = std::shared_ptr<const definition_settings>;

  explicit definition_loader(const environment_map& environment);

  /// What `root`, the text of `file` (empty: of no file), defines.
  pointer load(const yaml_node& root, const std::string& file);

  /// All that is wrong; none when nothing is.
  caf::error error() const;

  pointer from_file(const yaml_value& place, const std::string& path) override;
  bool is_found_later(const std::string& path) const override;
  pointer from_mapping(const yaml_value& mapping) override;
  pointer from_mapping_without(const yaml_value& mapping,
                               std::span<const std::string_view> keys) override;

private:
  /// A file that is being read.
  struct open_file {
    /// As it was named, for messages.
    std::string name;
    std::string path;
    bool is_agent = false;
  };

  pointer define(const yaml_value& mapping);
  pointer define_kind(const yaml_value& mapping);
  const open_file* find_open(const std::string& path) const;
  agent_settings read_agent(const yaml_value& mapping);
  void read_helpers(const yaml_value& mapping, agent_settings& x);

  const environment_map& environment_;
  /// That of the file which is being read.
  yaml_reader* reader_ = nullptr;
  /// The files that are being read, each named by the one before.
  std::vector<open_file> open_;
  /// Whether what is read next works for an agent.
  bool is_for_helper_ = false;
  std::map<std::string, pointer> done_;
  /// Mappings that were made of parts of others: readers point into them.
  std::deque<yaml_node> parts_;
  std::vector<fault> wrong_;
};

} // namespace troupe
