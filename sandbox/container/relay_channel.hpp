#pragma once

#include "troupe/sandbox/container/engine_process.hpp"
#include "troupe/sandbox/output_capture.hpp"
#include "troupe/sandbox/relay/protocol.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// The frames to and from one relay, through the standard streams of an
/// engine's program. What comes is believed to be no more than frames. Lives on
/// the process thread; what it waits for keeps it.
class relay_channel : public std::enable_shared_from_this<relay_channel> {
public:
  /// False: that makes no sense, and the channel is broken.
  using frame_taker
    = std::function<bool(const relay::frame&, std::string_view payload)>;

  explicit relay_channel(boost::asio::io_context& loop);

  /// Starts the program. `take` gets each frame; `ended` is called once, when
  /// the program has ended, with its complaint. Error: sandbox.
  caf::error open(const container_engine& engine,
                  const std::vector<std::string>& words, frame_taker take,
                  std::function<void(std::string complaint)> ended);

  /// Sends a frame; `sent`, if any, is called when it is on its way, and never
  /// when that fails. At most `relay::max_payload` bytes.
  void send(relay::frame_kind kind, uint64_t id, std::string_view payload = {},
            std::function<void()> sent = nullptr);

  /// Says that no more will come: the relay ends, and the program.
  void close_input();

  /// Ends the program.
  void kill();

private:
  struct message {
    std::string bytes;
    std::function<void()> sent;
  };

  void flush();
  void read_header();
  void read_payload();
  void hand_on();
  void break_off();

  boost::asio::posix::stream_descriptor to_;
  boost::asio::posix::stream_descriptor from_;
  output_capture errors_;
  std::shared_ptr<engine_process> program_;
  std::deque<message> outbox_;
  relay::frame header_;
  std::string payload_;
  frame_taker take_;
  std::function<void(std::string)> ended_;
};

} // namespace troupe
