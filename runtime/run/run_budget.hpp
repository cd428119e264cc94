#pragma once

#include "troupe/runtime/messages/run_messages.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace troupe {

/// What an agent and all that work for it may use up together.
struct budget_limits {
  uint64_t tool_calls = 0;
  /// Input and output; 0: as many as it takes.
  uint64_t tokens = 0;
  /// How deep agents may start others.
  uint32_t depth = 1;
};

/// Counts what a tree of agents uses, at the moment it is used, so that those
/// at work at once share what is left. What one within another may use is
/// bounded by both. Any thread may use it.
class run_budget {
public:
  /// `used` is what was used in earlier legs of the run; `outer` may be null.
  run_budget(budget_limits limits, const run_usage& used,
             std::shared_ptr<run_budget> outer);

  /// Whether there are tokens left for one more request to a model.
  bool has_tokens() const noexcept;

  void add_tokens(uint64_t count) noexcept;

  /// Takes one call of a tool, unless there is none left.
  bool take_tool_call() noexcept;

  /// The narrowest of its own and those around it.
  const budget_limits& limits() const noexcept {
    return limits_;
  }

private:
  budget_limits limits_;
  std::atomic<uint64_t> tool_calls_;
  std::atomic<uint64_t> tokens_;
  std::shared_ptr<run_budget> outer_;
};

} // namespace troupe
