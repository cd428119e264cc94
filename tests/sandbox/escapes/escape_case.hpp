#pragma once

#include "troupe/sandbox/sandbox_requests.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::test {

/// One attack, as a file in cases/ tells it.
struct escape_case {
  std::string id;
  /// What kind of attack it is.
  std::string kind;
  /// Members of the policy in place of the usual ones, as JSON; may be empty.
  std::string policy;
  /// What the host does before, by a shell outside; may be empty.
  std::string before;
  /// The attack, by a shell inside.
  std::string run;
  /// What must be said: each of them, where "a | b" is either.
  std::vector<std::string> says;
  /// What must not be said.
  std::vector<std::string> never;
  /// The exit status, where it matters.
  std::optional<int> status;
  /// The limit that ends it.
  std::string limit;
  /// What must be true on the host afterwards, by a shell outside.
  std::string after;
  /// It is refused by Landlock's scopes only, which not every kernel has.
  bool needs_scopes = false;
  /// Standard input is a terminal of the host's.
  bool terminal = false;
  /// Harmless, and known to work without a sandbox.
  bool works_outside = false;
};

/// Reads the cases of the folder cases/, in the order of the files' names:
/// those whose ids begin as the variable TROUPE_ESCAPE_CASES says, or all.
std::vector<escape_case> read_escape_cases();

/// What is wrong with `result`; empty when the attack ended as it should.
std::string judge(const escape_case& what, const process_result& result);

} // namespace troupe::test
