#pragma once

#include "troupe/runtime/messages/run_messages.hpp"
#include "troupe/storage/run_records.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <vector>

namespace troupe {

/// How often a run was taken up after it lost its process. Kept with the run,
/// as the value `recovery_value`.
struct recovery_count {
  /// How many got to work since one last came further than the one before. A
  /// process that ends before it has begun says nothing about the run.
  uint32_t without_progress = 0;
  /// In all; never reset.
  uint32_t total = 0;
  /// What the run had settled when the last one began: answers, results,
  /// checkpoints.
  uint64_t settled = 0;
};

inline constexpr auto recovery_value = "recovery";

/// What ends a run that its recoveries do not help: a run that kills its
/// process would kill one after another.
inline constexpr auto most_without_progress = uint32_t{10};
inline constexpr auto most_recoveries = uint32_t{100};

/// One recovery more, of a run that has settled so much. Whether it gets to
/// work is counted when it does: `without_progress` is then one more.
recovery_count count_recovery(recovery_count before, uint64_t settled);

/// How many answers, results and checkpoints there are among `events`.
uint64_t count_settled(const std::vector<run_event>& events);

/// Whether it was one too many.
constexpr bool is_hopeless(const recovery_count& x) {
  return x.without_progress >= most_without_progress
         || x.total > most_recoveries;
}

run_value make_recovery_value(const recovery_count& count, int64_t at);
caf::expected<recovery_count> read_recovery(const run_value& value);

/// Counts anew what a run used, from its events: the head of a run that lost
/// its process has the figures of its start.
run_usage usage_of(const std::vector<run_event>& events);

} // namespace troupe
