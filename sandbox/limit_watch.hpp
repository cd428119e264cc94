#pragma once

#include "troupe/sandbox/cgroup.hpp"
#include "troupe/sandbox/namespace_sandbox.hpp"
#include "troupe/sandbox/sandbox_requests.hpp"

#include "caf/expected.hpp"

#include <boost/asio/steady_timer.hpp>

#include <memory>

namespace troupe {

/// Looks, while a command runs, whether the group of its sandbox ran into a
/// limit, and tells which one ended it. Commands that run side by side in one
/// sandbox share its limits. Lives on the runner's thread.
class limit_watch : public std::enable_shared_from_this<limit_watch> {
public:
  /// `processes` is the limit of the group.
  limit_watch(boost::asio::io_context& loop,
              std::shared_ptr<namespace_sandbox> in, uint64_t processes);

  /// Has the command ended that runs into a limit, until `finish`.
  void start();

  /// Ends the watch and names the limit that ended a command with `result`, if
  /// it was one of these.
  void finish(caf::expected<process_result>& result);

private:
  void wait();
  void name_end_of_sandbox(caf::expected<process_result>& result) const;

  boost::asio::steady_timer timer_;
  std::shared_ptr<namespace_sandbox> in_;
  cgroup_counts before_;
  uint64_t processes_;
  bool finished_ = false;
};

} // namespace troupe
