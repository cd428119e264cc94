#pragma once

#include "troupe/sandbox/output_capture.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/warden/protocol.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <string>

#include <sys/types.h>

namespace troupe {

struct warden_process;

/// One command on its way, through its warden. Lives on one thread; its pending
/// operations keep it alive.
class process_session : public std::enable_shared_from_this<process_session> {
public:
  /// `done` is called exactly once, unless `start` fails.
  process_session(boost::asio::io_context& loop, process_spec spec,
                  process_done done);

  /// Starts the warden at `path`.
  caf::error start(const std::string& path);

  /// TERM, and KILL after the grace.
  void terminate();

  /// KILL at once.
  void kill();

private:
  void write_stdin(warden_process& warden);
  void send(std::string data);
  void flush();
  void await_report();
  void take(const warden::report& report);
  void arm(caf::timespan after, void (process_session::*then)());
  void time_out();
  void give_up();
  process_result result_of(int wait_status);
  void finish(caf::expected<process_result> result);

  boost::asio::posix::stream_descriptor control_;
  boost::asio::posix::stream_descriptor stdin_;
  output_capture stdout_;
  output_capture stderr_;
  boost::asio::steady_timer timer_;
  process_spec spec_;
  process_done done_;
  pid_t warden_ = -1;
  warden::report report_;
  /// Being written, and to be written next.
  std::string sending_;
  std::string outbox_;
  bool timed_out_ = false;
  bool ending_ = false;
};

} // namespace troupe
