#pragma once

#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/warden_seat.hpp"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace troupe {

class process_session;

/// The commands of one runner that are under way. Lives on the runner's thread;
/// its commands keep it.
class command_table : public std::enable_shared_from_this<command_table> {
public:
  explicit command_table(boost::asio::io_context& loop);

  /// As `process_runner::start`, with the place where the command runs.
  void start(process_runner::process_id id, std::shared_ptr<warden_seat> seat,
             process_spec spec, process_done done);

  void signal(process_runner::process_id id, int number);

  void terminate(process_runner::process_id id);

  /// Kills all commands.
  void kill_all();

  /// Calls `f` when no command is left, perhaps at once.
  void when_empty(std::function<void()> f);

  size_t size() const noexcept;

private:
  void remove(process_runner::process_id id);

  boost::asio::io_context& loop_;
  std::map<process_runner::process_id, std::shared_ptr<process_session>>
    sessions_;
  std::vector<std::function<void()>> waiting_;
};

/// For the destructor of a runner: runs `end` on the thread and waits until it
/// calls its argument; on the thread itself it does not wait.
void end_on(process_thread& thread,
            const std::function<void(std::function<void()> ended)>& end);

} // namespace troupe
