#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/json/described.hpp"
#include "troupe/runtime/messages/run_messages.hpp"

#include "caf/expected.hpp"

namespace troupe {

/// The checked result of a run as a T. `errc::structured_result` where the run
/// has none, such as one that failed, and where it is no T.
template <described_struct T>
caf::expected<T> result_of(const run_object& run) {
  if (run.output_json.empty())
    return make_error(errc::structured_result,
                      "the run of " + run.name + " has no checked result",
                      run.run_id);
  auto result = from_json_text<T>(run.output_json);
  if (!result)
    return make_error(errc::structured_result, to_fault(result.error()).message,
                      run.run_id);
  return result;
}

} // namespace troupe
