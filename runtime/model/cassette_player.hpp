#pragma once

#include "troupe/runtime/model/cassette.hpp"

#include "caf/error.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// What happens on one request: wait `delay`, then hand out `events` with
/// `chunk_delay` between texts, then fail if there is a failure. Without one
/// the last event is `stop`.
struct cassette_turn {
  caf::timespan delay{0};
  caf::timespan chunk_delay{0};
  std::vector<model_event> events;
  caf::error failure;
};

/// Answers requests from a cassette. Its templates see `input` (the last user
/// message), `last_tool` and `tool.NAME` (the last result at all and of that
/// tool, parsed where they are JSON) and `turn` (the number of the reply, from
/// 1). The conversation is in the request, so
/// all that it remembers is which errors a run has seen. One owner, one
/// thread; needs no clock.
class cassette_player {
public:
  explicit cassette_player(std::shared_ptr<const cassette> tape);

  /// The turn for `request`: the reply after as many as it has assistant
  /// messages, or an error that stands before it and was not played in the run
  /// yet. A request that is not as expected, one past the end and a template
  /// that cannot be filled in are failures of kind cassette.
  cassette_turn play(const model_request& request);

  /// Forgets a run that has ended. The oldest run is forgotten by itself when
  /// 10,000 others have seen errors.
  void forget(const std::string& run_id);

private:
  cassette_turn play_failure(const cassette_failure& failure, size_t reply,
                             const model_request& request) const;
  caf::error past_end(size_t reply) const;
  bool was_played(const std::string& run_id, size_t exchange) const;
  void mark_played(const std::string& run_id, size_t exchange);

  std::shared_ptr<const cassette> tape_;
  /// Where the replies are among the exchanges.
  std::vector<size_t> replies_;
  std::map<std::string, std::set<size_t>> played_;
  std::deque<std::string> runs_;
};

} // namespace troupe
