#pragma once

#include "troupe/runtime/co/branch.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/co/task.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace troupe::co {

/// Which of several came first, and with what.
template <class T>
struct first_of {
  std::size_t index = 0;
  T value;
};

namespace detail {

/// The first slot that is settled; throws its failure.
template <class T>
std::size_t first_settled(const std::vector<branch_slot<T>>& slots) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].failure)
      std::rethrow_exception(slots[i].failure);
    if (slots[i].value)
      return i;
  }
  throw failure{errc::internal, "when_any of nothing"};
}

} // namespace detail

/// Runs all of `work` until one ends, destroys the others, and gives the
/// first one's result or throws its failure. `work` must not be empty.
template <class T>
task<first_of<T>> when_any(std::vector<task<T>> work) {
  auto slots = std::vector<detail::branch_slot<T>>(work.size());
  auto group = detail::branch_group{1};
  auto branches = std::vector<detail::branch>{};
  for (std::size_t i = 0; i < work.size(); ++i)
    branches.push_back(detail::run_branch<T>(std::move(work[i]), &slots[i]));
  if (!branches.empty()) {
    auto any = detail::group_awaiter{group, branches};
    co_await any;
  }
  branches.clear();
  auto index = detail::first_settled(slots);
  co_return first_of<T>{index, std::move(*slots[index].value)};
}

namespace detail {

template <class T>
task<std::optional<T>> present(task<T> work) {
  auto value = co_await work;
  co_return std::optional<T>{std::move(value)};
}

template <class T>
task<std::optional<T>>
absent_after(caf::scheduled_actor* self, caf::timespan limit) {
  co_await sleep_for(self, limit);
  co_return std::optional<T>{};
}

} // namespace detail

/// Runs `work` for at most `limit`, then destroys it and throws
/// `errc::timeout`: a scope that cancels itself.
template <class T>
task<T>
with_timeout(caf::scheduled_actor* self, caf::timespan limit, task<T> work) {
  auto race = std::vector<task<std::optional<T>>>{};
  race.push_back(detail::present(std::move(work)));
  race.push_back(detail::absent_after<T>(self, limit));
  auto winner = co_await when_any(std::move(race));
  if (!winner.value)
    throw failure{errc::timeout, "it took longer than it was given"};
  co_return std::move(*winner.value);
}

} // namespace troupe::co
