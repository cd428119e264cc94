#include "troupe/actors/app/report.hpp"

#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/terminal.hpp"
#include "troupe/config/yaml_reader.hpp"
#include "troupe/runtime/text/utf8.hpp"

#include <algorithm>
#include <iostream>
#include <string>

namespace troupe::app {

namespace {

/// What a provider, a file or a model wrote stays in its line and does nothing
/// to the terminal.
std::string one_line(const std::string& text) {
  auto result = printable(sanitize_utf8(text));
  std::replace(result.begin(), result.end(), '\n', ' ');
  return result;
}

} // namespace

void report(const fault& what) {
  std::cerr << "troupe: " << one_line(render(what)) << '\n';
  if (!what.hint.empty())
    std::cerr << "hint: " << one_line(what.hint) << '\n';
}

int report(const caf::error& why) {
  for (const auto& what : to_faults(why))
    report(what);
  switch (to_fault(why).kind) {
    case errc::configuration:
    case errc::sandbox:
    case errc::policy:
      return exit_usage;
    case errc::cancelled:
      return exit_cancelled;
    default:
      return exit_failed;
  }
}

} // namespace troupe::app
