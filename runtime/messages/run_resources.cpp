#include "troupe/runtime/messages/run_resources.hpp"

#include "troupe/runtime/co/failure.hpp"

namespace troupe {

std::vector<std::string> run_resources::close() {
  auto result = std::vector<std::string>{};
  for (;;) {
    auto last = entry{};
    {
      auto guard = std::lock_guard{mutex_};
      if (entries_.empty())
        return result;
      last = std::move(entries_.back());
      entries_.pop_back();
    }
    try {
      last.second();
    } catch (...) { // reported on the run
      auto why = co::to_error(std::current_exception());
      result.push_back(last.first + ": " + to_fault(why).message);
    }
  }
}

} // namespace troupe
