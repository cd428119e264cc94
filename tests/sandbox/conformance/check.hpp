#pragma once

#include "support/catch.hpp"

#include "troupe/sandbox/sandbox_conformance.hpp"

namespace troupe::test {

/// Runs every case that a backend with those traits must pass.
inline void
check_conformance(const backend_conformance::backend_traits& traits,
                  const backend_conformance::backend_factory& make) {
  for (const auto& entry : sandbox_conformance_cases(traits))
    DYNAMIC_SECTION(entry.area << ": it " << entry.name) {
      try {
        entry.run(make);
        SUCCEED();
      } catch (const backend_conformance::failure& why) {
        FAIL(why.what());
      }
    }
}

} // namespace troupe::test
