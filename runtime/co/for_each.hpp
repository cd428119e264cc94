#pragma once

#include "troupe/runtime/co/task.hpp"
#include "troupe/runtime/co/when_all.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace troupe::co {

namespace detail {

/// The items that several coroutines of one actor take in turn.
template <class T>
struct work_list {
  std::vector<T> items;
  std::function<task<void>(T)> step;
  std::size_t next = 0;
};

template <class T>
task<void> work_off(work_list<T>* list) {
  while (list->next < list->items.size()) {
    auto step = list->step(std::move(list->items[list->next++]));
    co_await step;
  }
}

} // namespace detail

/// Calls `step` for each item in order, at most `limit` (at least 1) at once.
/// The first failure is thrown and destroys what runs. `step` is a function
/// that makes a task; it is no coroutine itself, so it may capture.
template <class T>
task<void> for_each(std::vector<T> items, std::size_t limit,
                    std::function<task<void>(T)> step) {
  auto list = detail::work_list<T>{std::move(items), std::move(step)};
  auto count = std::min(std::max<std::size_t>(limit, 1), list.items.size());
  auto workers = std::vector<task<void>>{};
  for (std::size_t i = 0; i < count; ++i)
    workers.push_back(detail::work_off<T>(&list));
  co_await when_all(std::move(workers));
}

} // namespace troupe::co
