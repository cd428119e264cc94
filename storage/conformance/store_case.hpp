#pragma once

#include "troupe/storage/store.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::conformance {

/// Makes a new, empty store each time it is called.
using store_factory = std::function<std::unique_ptr<store>()>;

/// What a case throws when the store is not what it should be: where in the
/// case, and what was expected.
class failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One thing that every store does.
struct store_case {
  /// What it is about: sessions, forks, runs, parts, leases, schedule, batches.
  std::string area;
  /// Completes "a store …".
  std::string name;
  /// Throws `failure` where the store does not.
  std::function<void(const store_factory&)> run;
};

using store_cases = std::vector<store_case>;

} // namespace troupe::conformance
