#pragma once

#include "troupe/runtime/assembly/assembly_faults.hpp"

#include <set>
#include <string>
#include <vector>

namespace troupe {

/// Whose results the template of an input may name.
struct input_scope {
  /// What a participant is called here: "node", "member" or "step".
  std::string word;
  std::vector<std::string> known;
  /// Those of them that can have answered or failed by then.
  std::set<std::string> ended;
};

/// Looks for what would be wrong with the template `text`, the value of the
/// key `path`, whatever happens: that it is none, and names in it that stand
/// for nothing. What is inside of sections depends on their values and is left
/// alone, unless those are plain texts.
void check_input(const std::string& text, const std::string& path,
                 const input_scope& scope, assembly_faults& wrong);

} // namespace troupe
