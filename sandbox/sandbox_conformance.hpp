#pragma once

#include "troupe/sandbox/conformance/backend_case.hpp"
#include "troupe/sandbox/conformance/command_cases.hpp"
#include "troupe/sandbox/conformance/containment_cases.hpp"
#include "troupe/sandbox/conformance/end_cases.hpp"
#include "troupe/sandbox/conformance/file_cases.hpp"

namespace troupe {

/// What a sandbox is: everything that each backend must do that has those
/// traits, as cases to run with whatever test framework there is.
///
///     for (const auto& x : troupe::sandbox_conformance_cases(traits))
///       x.run(open_sandbox_of_mine);  // throws what is wrong, see `failure`
///
/// Each case is on its own, and takes some seconds at most.
inline backend_conformance::backend_cases
sandbox_conformance_cases(const backend_conformance::backend_traits& traits) {
  using namespace backend_conformance;
  auto result = backend_cases{};
  for (auto cases : {file_cases::all, command_cases::all, end_cases::all,
                     containment_cases::all})
    for (auto& one : cases())
      if (!one.applies || one.applies(traits))
        result.push_back(std::move(one));
  return result;
}

} // namespace troupe
