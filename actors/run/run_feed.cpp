#include "troupe/actors/run/run_feed.hpp"

#include <utility>
#include <vector>

namespace troupe {

uint64_t run_feed::subscribe(run_subscriber who) {
  auto entry = std::make_shared<subscriber>();
  entry->call = std::move(who);
  auto guard = std::lock_guard{mutex_};
  subscribers_.emplace(++last_id_, std::move(entry));
  count_ = subscribers_.size();
  return last_id_;
}

void run_feed::unsubscribe(uint64_t id) {
  auto entry = std::shared_ptr<subscriber>{};
  {
    auto guard = std::lock_guard{mutex_};
    auto found = subscribers_.find(id);
    if (found == subscribers_.end())
      return;
    entry = std::move(found->second);
    subscribers_.erase(found);
    count_ = subscribers_.size();
  }
  auto calling = std::lock_guard{entry->calling};
  entry->call = nullptr;
}

void run_feed::publish(const run_notice& notice) {
  if (!has_subscribers())
    return;
  auto all = std::vector<std::shared_ptr<subscriber>>{};
  {
    auto guard = std::lock_guard{mutex_};
    for (const auto& [id, one] : subscribers_)
      all.push_back(one);
  }
  for (const auto& one : all) {
    auto calling = std::lock_guard{one->calling};
    if (one->call)
      one->call(notice);
  }
}

} // namespace troupe
