#pragma once

#include "troupe/runtime/co/task.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace troupe::co {

/// What a producer hands out at once.
template <class T>
struct batch {
  std::vector<T> items;
  /// Nothing follows.
  bool done = false;
};

/// A sequence that is pulled: nothing is produced ahead of its reader but the
/// rest of the last batch. Belongs to one actor and has one reader at a time.
template <class T>
class stream {
public:
  /// `fetch` makes a task that gives the next batch, usually a request to the
  /// producing actor.
  explicit stream(std::function<task<batch<T>>()> fetch)
    : fetch_(std::move(fetch)) {
    // nop
  }

  /// The next item, or nothing at the end. Throws what the producer failed
  /// with.
  task<std::optional<T>> next() {
    return next_of(this);
  }

private:
  static task<std::optional<T>> next_of(stream* self) {
    while (self->items_.empty() && !self->done_) {
      auto fetch = self->fetch_();
      auto got = co_await fetch;
      self->done_ = got.done;
      for (auto& item : got.items)
        self->items_.push_back(std::move(item));
    }
    if (self->items_.empty())
      co_return std::nullopt;
    auto item = std::optional<T>{std::move(self->items_.front())};
    self->items_.pop_front();
    co_return item;
  }

  std::function<task<batch<T>>()> fetch_;
  std::deque<T> items_;
  bool done_ = false;
};

} // namespace troupe::co
