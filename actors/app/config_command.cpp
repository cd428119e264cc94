#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/definition_check.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/setup.hpp"
#include "troupe/config/show_settings.hpp"

#include <iostream>

namespace troupe::app {

namespace {

void warn(const loaded_settings& loaded) {
  for (const auto& warning : loaded.warnings)
    std::cerr << "warning: " << warning.message
              << (warning.where.empty() ? "" : " (" + warning.where + ")")
              << '\n';
}

} // namespace

int check_config(const options& x) {
  auto is_of_runs = !x.file.empty() && is_definition(x.file);
  auto place = x;
  // It runs in the configuration that is there.
  if (is_of_runs)
    place.file.clear();
  auto loaded = settings_for(place);
  if (!loaded)
    return report(loaded.error());
  warn(*loaded);
  auto wrong = check_definitions(loaded->settings, is_of_runs ? x.file : "");
  if (wrong)
    return report(wrong);
  if (x.json)
    std::cout << "{\"valid\":true}\n";
  else if (is_of_runs)
    std::cout << x.file << " is valid\n";
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
