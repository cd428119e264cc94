#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/definition_check.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/config/environment_layer.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/runtime/assembly/mermaid.hpp"

#include <iostream>

namespace troupe::app {

int show_graph(const options& x) {
  if (auto wrong = faults_in(x.file); !wrong.empty())
    return report(make_error(wrong));
  auto found = load_definition_file(x.file, process_environment());
  if (!found)
    return report(found.error());
  const auto* assembly = std::get_if<assembly_settings>(&(*found)->what);
  if (assembly == nullptr)
    return report(make_error(errc::configuration,
                             "an agent has no graph: an assembly has", x.file));
  std::cout << to_mermaid(*assembly);
  return exit_completed;
}

} // namespace troupe::app
