#pragma once

#include "troupe/sandbox/command_table.hpp"
#include "troupe/sandbox/container/container_box.hpp"
#include "troupe/sandbox/container/container_runner.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace troupe {

/// The containers of one runner and what runs in them. Lives on the runner's
/// thread; its commands and containers keep it.
class container_pool : public std::enable_shared_from_this<container_pool> {
public:
  using process_id = process_runner::process_id;

  container_pool(boost::asio::io_context& loop, container_host host,
                 std::shared_ptr<const workspace> where,
                 sandbox_settings policy);

  /// Makes a container or takes the one that is kept, and runs the command.
  void start(process_id id, process_spec spec, process_done done);

  void signal(process_id id, int number);

  void terminate(process_id id);

  /// Ends everything; `ended` is called when nothing is left. Nothing can be
  /// started any more.
  void close(std::function<void()> ended);

private:
  using box_ptr = std::shared_ptr<container_box>;
  using opened = std::function<void(caf::expected<box_ptr>)>;

  struct waiting_command {
    process_spec spec;
    process_done done;
  };

  void with_box(opened then);
  void sweep_first(std::function<void()> then);
  void open(const opened& then);
  caf::expected<container_plan> plan() const;
  void run(process_id id, caf::expected<box_ptr> in);
  void leave(const box_ptr& from, process_done done,
             caf::expected<process_result> result);
  void end_boxes();

  boost::asio::io_context& loop_;
  container_host host_;
  std::shared_ptr<const workspace> where_;
  sandbox_settings policy_;
  std::shared_ptr<command_table> commands_;
  /// Commands whose container is not there yet.
  std::map<process_id, waiting_command> waiting_;
  /// The one that is kept, and who waits for it.
  box_ptr kept_;
  std::vector<opened> for_kept_;
  /// All that are not gone yet.
  std::set<box_ptr> boxes_;
  std::vector<std::function<void()>> for_sweep_;
  std::vector<std::function<void()>> ended_;
  bool is_swept_ = false;
  bool closing_ = false;
};

} // namespace troupe
