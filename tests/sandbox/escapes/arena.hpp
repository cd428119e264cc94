#pragma once

#include "troupe/sandbox/sandbox_requests.hpp"

#include "sandbox/escapes/attacked_host.hpp"

#include <map>
#include <memory>
#include <string>

namespace troupe::test {

/// The sandboxes of one kind of deployment on `host`, which must outlive it:
/// one runner for each policy.
class arena {
public:
  /// One policy, and what runs commands under it.
  struct place {
    sandbox_settings policy;
    std::shared_ptr<workspace> where;
    std::shared_ptr<process_runner> runner;
  };

  arena(const attacked_host& host, bool warm);

  /// As above, with other `parts` of the host than there are.
  arena(const attacked_host& host, bool warm, bubblewrap_host parts);

  /// The place for a policy with `changes` (JSON) in it.
  place& at(const std::string& changes);

  /// A shell command there, with the host's variables.
  process_spec shell(const std::string& script, const std::string& changes);

  /// Runs a shell command, which must be possible.
  process_result run(const std::string& script,
                     const std::string& changes = {});

  /// Runs any command, which must be possible.
  process_result run(process_spec spec, const std::string& changes);

private:
  const attacked_host& host_;
  bool warm_;
  bubblewrap_host parts_;
  std::map<std::string, place> places_;
};

} // namespace troupe::test
