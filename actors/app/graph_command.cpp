#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/config/environment_layer.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/runtime/assembly/graph_check.hpp"
#include "troupe/runtime/assembly/mermaid.hpp"

#include <iostream>

namespace troupe::app {

int show_graph(const options& x) {
  auto found = load_definition_file(x.file, process_environment());
  if (!found)
    return report(found.error());
  const auto* assembly = std::get_if<assembly_settings>(&(*found)->what);
  if (assembly == nullptr)
    return report(make_error(errc::configuration,
                             "an agent has no graph: an assembly has", x.file));
  if (const auto* graph = std::get_if<graph_settings>(&assembly->what)) {
    auto wrong = check_graph(*graph);
    for (auto& one : wrong)
      one.where = x.file;
    if (!wrong.empty())
      return report(make_error(wrong));
  }
  std::cout << to_mermaid(*assembly);
  return exit_completed;
}

} // namespace troupe::app
