#include "troupe/runtime/run/run_budget.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Of two numbers of tokens, where 0 has no bound.
uint64_t fewer_tokens(uint64_t x, uint64_t y) {
  if (x == 0 || y == 0)
    return std::max(x, y);
  return std::min(x, y);
}

} // namespace

run_budget::run_budget(budget_limits limits, const run_usage& used,
                       std::shared_ptr<run_budget> outer)
  : limits_(limits),
    tool_calls_(used.tool_calls),
    tokens_(used.tokens.input_tokens + used.tokens.output_tokens),
    outer_(std::move(outer)) {
  if (!outer_)
    return;
  const auto& around = outer_->limits();
  limits_.tool_calls = std::min(limits_.tool_calls, around.tool_calls);
  limits_.tokens = fewer_tokens(limits_.tokens, around.tokens);
  limits_.depth = std::min(limits_.depth, around.depth);
}

bool run_budget::has_tokens() const noexcept {
  auto has_own = limits_.tokens == 0 || tokens_.load() < limits_.tokens;
  return has_own && (!outer_ || outer_->has_tokens());
}

void run_budget::add_tokens(uint64_t count) noexcept {
  tokens_.fetch_add(count);
  if (outer_)
    outer_->add_tokens(count);
}

bool run_budget::take_tool_call() noexcept {
  if (tool_calls_.fetch_add(1) >= limits_.tool_calls) {
    tool_calls_.fetch_sub(1);
    return false;
  }
  if (!outer_ || outer_->take_tool_call())
    return true;
  tool_calls_.fetch_sub(1);
  return false;
}

} // namespace troupe
