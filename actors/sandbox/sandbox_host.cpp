#include "troupe/actors/sandbox/sandbox_host.hpp"

#include "troupe/sandbox/backend_report.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <utility>

namespace troupe {

namespace {

caf::expected<bubblewrap_host>
tried_bubblewrap(const std::shared_ptr<process_thread>& thread) {
  auto found = find_bubblewrap_host();
  if (!found)
    return found;
  if (auto failed = probe_bubblewrap(thread, *found))
    return failed;
  return found;
}

} // namespace

caf::expected<std::shared_ptr<process_thread>> sandbox_host::thread() {
  auto guard = std::lock_guard{mutex_};
  return locked_thread();
}

caf::expected<std::shared_ptr<process_thread>> sandbox_host::locked_thread() {
  if (!thread_) {
    auto made = process_thread::make();
    if (!made)
      return made;
    thread_ = std::move(*made);
  }
  return thread_;
}

caf::expected<std::shared_ptr<process_runner>> sandbox_host::unrestricted() {
  auto guard = std::lock_guard{mutex_};
  if (unrestricted_)
    return unrestricted_;
  auto on = locked_thread();
  if (!on)
    return std::move(on.error());
  auto made = make_host_runner(*on);
  if (made)
    unrestricted_ = *made;
  return made;
}

caf::expected<std::shared_ptr<process_runner>>
sandbox_host::bubblewrap(std::shared_ptr<const workspace> where,
                         const sandbox_settings& policy) {
  auto guard = std::lock_guard{mutex_};
  auto on = locked_thread();
  if (!on)
    return std::move(on.error());
  if (!bubblewrap_)
    bubblewrap_.emplace(tried_bubblewrap(*on));
  if (!*bubblewrap_)
    return bubblewrap_->error();
  return make_bubblewrap_runner(*on, **bubblewrap_, std::move(where), policy);
}

} // namespace troupe
