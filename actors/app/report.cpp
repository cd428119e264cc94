#include "troupe/actors/app/report.hpp"

#include "troupe/actors/app/exit_code.hpp"
#include "troupe/config/yaml_reader.hpp"
#include "troupe/runtime/text/utf8.hpp"

#include <iostream>

namespace troupe::app {

void report(const fault& what) {
  std::cerr << "troupe: " << sanitize_utf8(render(what)) << '\n';
  if (!what.hint.empty())
    std::cerr << "hint: " << sanitize_utf8(what.hint) << '\n';
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
