#pragma once

#include "troupe/sandbox/cgroup.hpp"
#include "troupe/sandbox/namespace_sandbox.hpp"
#include "troupe/sandbox/sandbox_requests.hpp"

#include "caf/expected.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>

namespace troupe {

/// Looks, while a command runs, whether the group of its sandbox ran into a
/// limit, and tells which one ended it. Commands that run side by side in one
/// sandbox share its limits. Lives on the runner's thread.
class limit_watch : public std::enable_shared_from_this<limit_watch> {
public:
  limit_watch(boost::asio::io_context& loop,
              std::shared_ptr<namespace_sandbox> in);

  /// Calls `exceeded` once when the group is refused more processes.
  void start(std::function<void()> exceeded);

  /// Ends the watch and names the limit that ended a command with `result`, if
  /// it was one of these.
  void finish(caf::expected<process_result>& result);

private:
  void wait();

  boost::asio::steady_timer timer_;
  std::shared_ptr<namespace_sandbox> in_;
  cgroup_counts before_;
  std::function<void()> exceeded_;
};

} // namespace troupe
