#pragma once

#include "troupe/sandbox/output_capture.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/warden/protocol.hpp"
#include "troupe/sandbox/warden_seat.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <string>

namespace troupe {

struct process_ends;

/// One command on its way, through its warden. Lives on one thread; its pending
/// operations keep it alive.
class process_session : public std::enable_shared_from_this<process_session> {
public:
  /// `done` is called exactly once, unless `start` fails.
  process_session(boost::asio::io_context& loop,
                  std::shared_ptr<warden_seat> seat, process_spec spec,
                  process_done done);

  /// Starts the command's warden.
  caf::error start();

  /// Sends a signal to the command's process group.
  void signal(int number);

  /// TERM, and KILL after the grace.
  void terminate();

  /// KILL at once.
  void kill();

private:
  caf::error open(process_ends& ends);
  void write_stdin(unique_fd pipe);
  void send(std::string data);
  void flush();
  void await_report();
  void take(const warden::report& report);
  void arm(caf::timespan after, void (process_session::*then)());
  void time_out();
  void overflow();
  void give_up();
  void abandon(const std::string& why);
  process_result result_of(int wait_status);
  std::string limit_of(const process_result& result) const;
  void finish(caf::expected<process_result> result);

  boost::asio::posix::stream_descriptor control_;
  boost::asio::posix::stream_descriptor stdin_;
  output_capture stdout_;
  output_capture stderr_;
  boost::asio::steady_timer timer_;
  process_spec spec_;
  process_done done_;
  std::shared_ptr<warden_seat> seat_;
  uint64_t warden_ = 0;
  warden::report report_;
  /// Being written, and to be written next.
  std::string sending_;
  std::string outbox_;
  bool timed_out_ = false;
  bool overflowed_ = false;
  bool ending_ = false;
  /// The warden has reported, or was given up.
  bool ended_ = false;
};

} // namespace troupe
