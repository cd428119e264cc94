#include "troupe/actors/run/follow_run.hpp"

namespace troupe {

followed_run_events stored_followed(run_event_batch batch,
                                    const run_record& record) {
  if (batch.events.empty() && !record.is_over())
    throw co::failure{errc::storage, "the events of the run are not there"};
  auto result = followed_run_events{};
  result.done = record.is_over()
                && (batch.events.empty()
                    || batch.events.back().seq >= record.last_seq());
  for (auto& event : batch.events)
    result.events.emplace_back(std::move(event));
  return result;
}

} // namespace troupe
