#include "troupe/sandbox/file_tree.hpp"

#include "troupe/config/errc.hpp"

namespace troupe {

file_tree::~file_tree() {
  // nop
}

caf::error check_overwrite(const std::string& spelling,
                           const std::string& known,
                           const std::string& current) {
  if (known.empty())
    return make_error(errc::tool,
                      "read " + spelling + " before overwriting it");
  return known == current ? caf::error{} : stale_error(spelling);
}

caf::error stale_error(const std::string& spelling) {
  return make_error(errc::tool,
                    "stale: " + spelling + " changed since you read it");
}

} // namespace troupe
