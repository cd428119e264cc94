#include "troupe/actors/app/definition_check.hpp"

#include "troupe/actors/app/setup.hpp"
#include "troupe/actors/definition_catalog.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/config/yaml_document.hpp"
#include "troupe/runtime/assembly/assembly_check.hpp"
#include "troupe/runtime/assembly/merged_faults.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::app {

bool is_definition(const std::string& file) {
  constexpr auto kinds = std::array<std::string_view, 4>{"agent", "graph",
                                                         "workflow", "swarm"};
  auto root = parse_yaml_file(file);
  return root && std::any_of(kinds.begin(), kinds.end(), [&](auto kind) {
           return find_member(*root, kind) != nullptr;
         });
}

std::vector<fault> faults_in(const std::string& file) {
  auto read = read_definition_file(file, process_environment());
  auto of_form = read.wrong ? to_faults(read.wrong) : std::vector<fault>{};
  auto of_meaning = read.found ? check_definition(*read.found)
                               : std::vector<fault>{};
  return merged_faults(of_form, of_meaning);
}

caf::error check_definitions(const settings& settings,
                             const std::string& file) {
  auto pool = co::blocking_pool{1};
  auto models = model_catalog_spec{};
  models.settings = settings;
  models.folder = working_directory();
  models.pool = &pool;
  auto sources = catalog_sources{models, {}, process_environment()};
  auto known = load_catalog({}, sources);
  if (!known) {
    auto all = to_faults(known.error());
    for (auto& one : file.empty() ? std::vector<fault>{} : faults_in(file))
      all.push_back(std::move(one));
    return make_error(all);
  }
  if (file.empty())
    return {};
  auto found = load_definition(file, *known, sources);
  return found ? caf::error{} : std::move(found.error());
}

} // namespace troupe::app
