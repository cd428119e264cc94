#pragma once

#include "troupe/sandbox/container/engine.hpp"
#include "troupe/sandbox/unique_fd.hpp"

#include "caf/error.hpp"
#include "caf/timespan.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe {

/// The descriptors of an engine's program.
struct engine_ends {
  unique_fd input;
  unique_fd output;
  unique_fd errors;
};

/// One run of an engine's program, in a session of its own. Not under a warden:
/// what an engine leaves running is what was asked of it. Lives on the process
/// thread; waiting for its end keeps it.
class engine_process : public std::enable_shared_from_this<engine_process> {
public:
  explicit engine_process(boost::asio::io_context& loop);
  engine_process(const engine_process&) = delete;
  engine_process& operator=(const engine_process&) = delete;
  ~engine_process();

  /// Starts it; `ended` is called once, with its wait status. Error: sandbox.
  caf::error start(const container_engine& engine,
                   const std::vector<std::string>& words, engine_ends ends,
                   std::function<void(int wait_status)> ended);

  /// Ends the program, not what it has started.
  void kill();

private:
  void await_end();

  boost::asio::posix::stream_descriptor handle_;
  pid_t pid_ = -1;
  std::function<void(int)> ended_;
};

/// Calls an engine and waits for it on the loop: `done` gets what it printed,
/// or an error of kind sandbox with what it complained about when it failed,
/// took longer than `most`, or printed more than a megabyte.
void call_engine(boost::asio::io_context& loop, const container_engine& engine,
                 const std::vector<std::string>& words, caf::timespan most,
                 std::function<void(caf::expected<std::string>)> done);

/// The sentence in what an engine printed as it failed: its last line, short
/// and without control characters.
std::string complaint_in(const std::string& printed);

} // namespace troupe
