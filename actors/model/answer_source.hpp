#pragma once

#include "troupe/runtime/co/task.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include <memory>
#include <vector>

namespace troupe {

/// Where the events of one answer come from. Belongs to one stream actor,
/// `self` below, whose coroutines use it one at a time. Destroying it ends at
/// once what it can.
class answer_source {
public:
  virtual ~answer_source() = default;

  /// Asks; again after each attempt that failed and is retried. Throws
  /// `co::failure` when it cannot be asked at all.
  virtual void start(model_stream_actor::pointer self) = 0;

  /// Awaits what comes next and appends it to `out`, which outlives the task;
  /// perhaps nothing. Gives whether the answer is whole, `stop` included.
  /// Throws `co::failure` after the events that came before the failure.
  virtual co::task<bool>
  read(model_stream_actor::pointer self, std::vector<model_event>* out) = 0;

  /// Ends what is under way and awaits the end of it. Nothing else is called
  /// after that.
  virtual co::task<void> close(model_stream_actor::pointer self) = 0;
};

using answer_source_ptr = std::unique_ptr<answer_source>;

} // namespace troupe
