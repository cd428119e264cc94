#pragma once

#include "troupe/runtime/co/branch.hpp"
#include "troupe/runtime/co/task.hpp"

#include <array>
#include <tuple>
#include <utility>
#include <vector>

namespace troupe::co {

/// Runs all of `work` at once within one actor and gives the results in the
/// order of the arguments. The first failure is thrown and destroys the rest.
template <class T>
task<std::vector<T>> when_all(std::vector<task<T>> work) {
  auto slots = std::vector<detail::branch_slot<T>>(work.size());
  auto group = detail::branch_group{work.size()};
  auto branches = std::vector<detail::branch>{};
  for (std::size_t i = 0; i < work.size(); ++i)
    branches.push_back(detail::run_branch<T>(std::move(work[i]), &slots[i]));
  if (!branches.empty()) {
    auto all = detail::group_awaiter{group, branches};
    co_await all;
  }
  branches.clear(); // whatever a failure left behind
  auto results = std::vector<T>{};
  for (auto& slot : slots)
    if (slot.failure)
      std::rethrow_exception(slot.failure);
  for (auto& slot : slots)
    results.push_back(std::move(*slot.value));
  co_return results;
}

/// The same for work without a result.
inline task<void> when_all(std::vector<task<void>> work) {
  auto slots = std::vector<detail::branch_slot<void>>(work.size());
  auto group = detail::branch_group{work.size()};
  auto branches = std::vector<detail::branch>{};
  for (std::size_t i = 0; i < work.size(); ++i)
    branches.push_back(detail::run_branch<void>(std::move(work[i]), &slots[i]));
  if (!branches.empty()) {
    auto all = detail::group_awaiter{group, branches};
    co_await all;
  }
  branches.clear();
  for (auto& slot : slots)
    if (slot.failure)
      std::rethrow_exception(slot.failure);
}

/// The same for a fixed set of different types; `void` gives std::monostate.
template <class... Ts>
auto when_all(task<Ts>... work)
  -> task<std::tuple<typename detail::branch_slot<Ts>::value_type...>> {
  auto slots = std::tuple<detail::branch_slot<Ts>...>{};
  auto group = detail::branch_group{sizeof...(Ts)};
  auto branches = std::apply(
    [&work...](auto&... slot) {
      return std::array<detail::branch, sizeof...(Ts)>{
        detail::run_branch<Ts>(std::move(work), &slot)...};
    },
    slots);
  auto all = detail::group_awaiter{group, branches};
  co_await all;
  // The branches that a failure left behind go with this frame, which its
  // awaiter destroys next.
  auto rethrow = [](auto&... slot) {
    (..., (slot.failure ? std::rethrow_exception(slot.failure) : void()));
  };
  std::apply(rethrow, slots);
  auto take = [](auto&... slot) {
    return std::tuple<typename detail::branch_slot<Ts>::value_type...>{
      std::move(*slot.value)...};
  };
  co_return std::apply(take, slots);
}

} // namespace troupe::co
