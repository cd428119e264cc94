#include "troupe/runtime/assembly/assembly_faults.hpp"

#include "troupe/config/nearest_name.hpp"

#include <utility>

namespace troupe {

void assembly_faults::add(const std::string& path, const std::string& what,
                          std::string hint) {
  auto x = fault{};
  x.kind = errc::configuration;
  x.message = path + ": " + what;
  x.hint = std::move(hint);
  all_.push_back(std::move(x));
}

std::string hint_for(const std::string& name,
                     const std::vector<std::string>& known) {
  auto near = nearest_name(name, known);
  return near ? "did you mean \"" + *near + "\"?" : std::string{};
}

} // namespace troupe
