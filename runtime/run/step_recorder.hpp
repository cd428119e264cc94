#pragma once

#include "troupe/runtime/messages/run_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe {

/// Steps and transitions that a run keeps; of the others it keeps the number.
inline constexpr auto most_steps = size_t{1000};
inline constexpr auto most_transitions = size_t{4000};

/// Puts together the steps of a run, and how it came from one to the next, out
/// of its events `step_start` and `step_stop`, whose data are
/// `{"name", "after": […]}` and `{"name", "status", "error"}`. Takes a run's
/// steps as they are when it is first used. Belongs to the run's actor.
class step_recorder {
public:
  /// Whether an event said something that `object` keeps.
  enum class outcome : uint8_t { nothing, left_out, kept };

  /// Takes what `event` says about a step at the time `at`; gives the data of
  /// one that is kept its `id`. A step that begins a second time goes on.
  outcome take(run_object& object, run_event& event, int64_t at);

private:
  run_step* find(run_object& object, const std::string& name);
  run_step* begin(run_object& object, const std::string& name);

  /// Where in the list of steps a name stands, as far as the list is known.
  std::unordered_map<std::string, size_t> index_;
  size_t known_ = 0;
};

/// Puts together the steps of a run that lost its process: what its head says
/// is older than its events.
void recover_steps(run_object& object, std::vector<run_event> events);

} // namespace troupe
