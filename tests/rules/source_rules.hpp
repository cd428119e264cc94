#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::test {

/// A place in the tree that breaks a rule of the house.
struct finding {
  std::string file;
  std::size_t line = 0;
  std::string rule;
};

std::ostream& operator<<(std::ostream& out, const finding& x);

/// Checks what no compiler does: which outside library may be included where,
/// how coroutines are written, what a source file may not hold. `path` is
/// relative to the root of the tree and decides which rules apply; the code
/// blocks of a .md file count as a .cpp file.
std::vector<finding> check_source(const std::string& path,
                                  std::string_view source);

/// The files under `root` that `check_source` is made for, relative to it.
std::vector<std::string> files_to_check(const std::string& root);

} // namespace troupe::test
