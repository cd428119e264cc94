#pragma once

#include "troupe/storage/conformance/batch_cases.hpp"
#include "troupe/storage/conformance/blob_cases.hpp"
#include "troupe/storage/conformance/fork_cases.hpp"
#include "troupe/storage/conformance/lease_cases.hpp"
#include "troupe/storage/conformance/part_cases.hpp"
#include "troupe/storage/conformance/run_cases.hpp"
#include "troupe/storage/conformance/schedule_cases.hpp"
#include "troupe/storage/conformance/session_cases.hpp"
#include "troupe/storage/conformance/store_case.hpp"

namespace troupe {

/// What a store is: everything that each implementation of `store` must do, as
/// cases to run with whatever test framework there is.
///
///     for (const auto& x : troupe::store_conformance_cases())
///       x.run(make_empty_store);   // throws what is wrong, see `failure`
///
/// Each case is on its own and takes a second at most on a store that is not
/// slower than a disk. What only one store does (damage, a full disk, other
/// processes) is not here.
inline conformance::store_cases store_conformance_cases() {
  using namespace conformance;
  auto result = store_cases{};
  for (auto cases : {session_cases::all, fork_cases::all, run_cases::all,
                     part_cases::all, blob_cases::all, lease_cases::all,
                     schedule_cases::all, batch_cases::all})
    for (auto& one : cases())
      result.push_back(std::move(one));
  return result;
}

} // namespace troupe
