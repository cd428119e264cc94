#pragma once

#include "troupe/sandbox/container/relay_channel.hpp"
#include "troupe/sandbox/warden_seat.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// Moves the bytes of one command between its descriptors on this host and the
/// frames of its relay, of each stream as many as its reader takes. Lives on
/// the process thread; what it waits for keeps it.
class relayed_command : public std::enable_shared_from_this<relayed_command> {
public:
  relayed_command(boost::asio::io_context& loop,
                  std::shared_ptr<relay_channel> channel, uint64_t id);

  /// Has its warden started and takes the ends over. Error: sandbox.
  caf::error start(warden_ends ends);

  /// A frame for it; false when it makes no sense.
  bool take(const relay::frame& what, std::string_view payload);

  /// Its runner has the report. `gone` is called when all it has printed has
  /// reached its readers too, perhaps at once.
  void release(std::function<void()> gone);

  /// The relay has ended: nothing more will come.
  void lose();

  /// Which limits of the container were run into meanwhile.
  const relay::pressure& pressure() const noexcept;

private:
  using descriptor = boost::asio::posix::stream_descriptor;

  /// What the command prints, on its way to a descriptor.
  struct sink {
    explicit sink(boost::asio::io_context& loop) : fd(loop) {
      // nop
    }

    descriptor fd;
    std::string text;
    uint32_t taken = 0;
    bool ended = false;
    bool writing = false;
  };

  void read_orders();
  void read_input();
  void send_input(std::string_view text);
  void end_input();
  bool receive(sink& to, std::string_view text);
  void write(sink& to);
  void write_some(sink& to);
  void credit(sink& to);
  void end(sink& of);
  bool take_report(std::string_view bytes);
  void settle();
  void arm();
  void deliver();

  boost::asio::io_context& loop_;
  std::shared_ptr<relay_channel> channel_;
  uint64_t id_;
  descriptor control_;
  descriptor input_;
  sink output_;
  sink errors_;
  boost::asio::steady_timer stalled_;
  std::string orders_;
  std::string report_;
  uint32_t input_sent_ = 0;
  bool input_reading_ = false;
  bool warden_gone_ = false;
  bool lost_ = false;
  relay::pressure pressure_;
  std::function<void()> gone_;
};

} // namespace troupe
