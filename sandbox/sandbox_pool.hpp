#pragma once

#include "troupe/sandbox/bubblewrap_runner.hpp"
#include "troupe/sandbox/command_table.hpp"
#include "troupe/sandbox/limit_watch.hpp"
#include "troupe/sandbox/namespace_sandbox.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace troupe {

/// The sandboxes of one runner and what runs in them. Lives on the runner's
/// thread; its commands and sandboxes keep it.
class sandbox_pool : public std::enable_shared_from_this<sandbox_pool> {
public:
  using process_id = process_runner::process_id;

  sandbox_pool(boost::asio::io_context& loop, bubblewrap_host host,
               std::shared_ptr<const workspace> where, sandbox_settings policy);

  /// Opens a sandbox or takes one that is there, and runs the command in it.
  void start(process_id id, process_spec spec, process_done done);

  void signal(process_id id, int number);

  void terminate(process_id id);

  /// Ends everything; `ended` is called when nothing is left. Nothing can be
  /// started any more.
  void close(std::function<void()> ended);

private:
  using sandbox_ptr = std::shared_ptr<namespace_sandbox>;

  struct waiting_command {
    process_spec spec;
    process_done done;
  };

  using sandbox_taker = std::function<void(caf::expected<sandbox_ptr>)>;

  /// One that nobody has used yet, and how it was set up.
  struct spare_sandbox {
    sandbox_ptr box;
    bubblewrap_plan plan;
  };

  void open(const bubblewrap_plan& plan, sandbox_taker then);
  void take_fresh(sandbox_taker then);
  void open_spare();
  void note_spare(caf::expected<sandbox_ptr> opened, bubblewrap_plan plan);
  void discard(const sandbox_ptr& box);
  caf::expected<bubblewrap_plan> make_plan() const;
  caf::expected<sandbox_ptr> make_sandbox();
  caf::error connect(namespace_sandbox& box,
                     const std::vector<socket_use>& uses);
  void take_warm(sandbox_taker then);
  void run(process_id id, caf::expected<sandbox_ptr> in);
  void rest_unused(const caf::expected<sandbox_ptr>& box);
  void leave(const sandbox_ptr& from, process_done done,
             caf::expected<process_result> result);
  bool has_filled(const caf::expected<process_result>& result) const;
  void rest();
  void end_sandboxes();

  boost::asio::io_context& loop_;
  bubblewrap_host host_;
  std::shared_ptr<const workspace> where_;
  sandbox_settings policy_;
  std::shared_ptr<warden_seat> seat_;
  std::shared_ptr<command_table> commands_;
  /// Commands whose sandbox is not there yet.
  std::map<process_id, waiting_command> waiting_;
  /// The warm one, and who waits for it.
  sandbox_ptr warm_;
  std::vector<sandbox_taker> for_warm_;
  /// Where each command gets a fresh one: the next, and who waits for it.
  std::optional<spare_sandbox> spare_;
  sandbox_taker for_spare_;
  bool opening_spare_ = false;
  /// All that are not gone yet.
  std::set<sandbox_ptr> sandboxes_;
  boost::asio::steady_timer idle_;
  std::vector<std::function<void()>> ended_;
  bool closing_ = false;
  /// What others left behind was looked for.
  bool swept_ = false;
};

} // namespace troupe
