#pragma once

#include "troupe/sandbox/process_io.hpp"
#include "troupe/sandbox/unique_fd.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>

namespace troupe {

/// Reads a descriptor when it is asked to. Lives on the process thread.
class stream_reader : public std::enable_shared_from_this<stream_reader> {
public:
  explicit stream_reader(boost::asio::io_context& loop);

  /// Takes the descriptor. Error: sandbox.
  caf::error open(unique_fd fd);

  /// As `process_io::read`.
  void read(size_t most, caf::timespan timeout, process_io::read_done done);

  /// Ends a read that waits.
  void close();

private:
  void wait();
  bool read_some();
  void finish(process_chunk chunk);

  boost::asio::posix::stream_descriptor fd_;
  boost::asio::steady_timer timer_;
  size_t most_ = 0;
  process_io::read_done done_;
};

} // namespace troupe
