#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/setup.hpp"
#include "troupe/actors/definition_catalog.hpp"
#include "troupe/config/show_settings.hpp"

#include <iostream>

namespace troupe::app {

namespace {

/// Everything that would fail when a run starts, without starting anything.
caf::error check_agents(const settings& settings) {
  auto pool = co::blocking_pool{1};
  auto models = model_catalog_spec{};
  models.settings = settings;
  models.folder = working_directory();
  models.pool = &pool;
  auto environment = process_environment();
  auto agents = load_catalog({}, {models, {}, environment});
  return agents ? caf::error{} : std::move(agents.error());
}

void warn(const loaded_settings& loaded) {
  for (const auto& warning : loaded.warnings)
    std::cerr << "warning: " << warning.message
              << (warning.where.empty() ? "" : " (" + warning.where + ")")
              << '\n';
}

} // namespace

int check_config(const options& x) {
  auto loaded = settings_for(x);
  if (!loaded)
    return report(loaded.error());
  warn(*loaded);
  if (auto why = check_agents(loaded->settings))
    return report(why);
  if (x.json)
    std::cout << "{\"valid\":true}\n";
  else
    std::cout << "the configuration is valid ("
              << (loaded->files.empty() ? "no file, defaults"
                                        : loaded->files.front())
              << ")\n";
  return exit_completed;
}

int show_config(const options& x) {
  auto loaded = settings_for(x);
  if (!loaded)
    return report(loaded.error());
  warn(*loaded);
  std::cout << (x.json ? show_settings_json(*loaded) + "\n"
                       : show_settings(*loaded));
  return exit_completed;
}

} // namespace troupe::app
