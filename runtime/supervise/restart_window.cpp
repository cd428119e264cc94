#include "troupe/runtime/supervise/restart_window.hpp"

namespace troupe {

bool restart_window::admit(time_point now) {
  while (!recent_.empty() && now - recent_.front() > period_)
    recent_.pop_front();
  recent_.push_back(now);
  if (recent_.size() <= limit_)
    return true;
  recent_.pop_front();
  return false;
}

} // namespace troupe
