#pragma once

#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/messages/run_messages.hpp"

#include "caf/error.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// What was said to a run and no model was told. Whoever said it waits for
/// `is_settled`.
struct unheard_interjection {
  interject what;
  interjection_outcome outcome = interjection_outcome::delivered;
  /// Why it was not heard; none: it was, or is left to the conversation.
  caf::error lost;
  co::event is_settled;
};

using unheard_interjections
  = std::vector<std::shared_ptr<unheard_interjection>>;

/// That it was said too late, and why: "the run is over".
caf::error too_late(run_status end);

/// What is told of one that is `record` in the conversation.
run_event interjection_event(const unheard_interjection& x, uint64_t record);

/// Answers those who said these, once what became of them is stored with the
/// end of the run; not where that could not be stored.
void settle(const unheard_interjections& all, const run_object& run);

} // namespace troupe
