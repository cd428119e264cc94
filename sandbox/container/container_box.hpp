#pragma once

#include "troupe/sandbox/container/container_plan.hpp"
#include "troupe/sandbox/container/relay_channel.hpp"
#include "troupe/sandbox/warden_seat.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

class relayed_command;

/// One container with our relay in it, where wardens and their commands are
/// put. It is removed with the box, unless it is one to be found again. Lives
/// on the process thread; what it waits for keeps it.
class container_box : public warden_seat,
                      public std::enable_shared_from_this<container_box> {
public:
  /// `what` must be in order, see `check_container`.
  container_box(boost::asio::io_context& loop, container_engine engine,
                const container_settings& what);

  /// Makes it, or finds it by its label, and starts it. `ready` is called once,
  /// with an error of kind sandbox when it does not come up: also when more
  /// than one is found, or one that is not what `plan` says.
  void open(container_plan plan, std::function<void(caf::error)> ready);

  /// Ends everything in it, and it if it is to be removed; `gone`, if any, is
  /// called when that is done.
  void close(std::function<void()> gone);

  bool is_open() const noexcept;

  /// What the image sets.
  const std::map<std::string, std::string>& environment() const noexcept;

  /// Which limits of the container were run into while the command of the
  /// warden that was placed last ran; the command lives at least as long.
  std::function<relay::pressure()> last_pressure() const;

  caf::expected<uint64_t> place(warden_ends ends) override;
  void wake(uint64_t id) override;
  void release(uint64_t id) override;
  void abandon(uint64_t id,
               std::function<void(std::string sentence)> then) override;

private:
  enum class phase : uint8_t { opening, open, closing, gone };
  using answered = void (container_box::*)(std::string);

  void call(const std::vector<std::string>& words, answered then);
  void take_found(std::string answer);
  void create();
  void take_created(std::string answer);
  void inspect();
  void take_inspected(std::string answer);
  void compare_image();
  void take_image(std::string answer);
  void resume();
  void attach(std::string);
  bool take(const relay::frame& what, std::string_view payload);
  caf::error greet(std::string_view payload);
  void note_end(const std::string& complaint);
  void fail(caf::error why);
  void remove(int tries);
  void look_again(int tries);
  void finish();
  std::shared_ptr<relayed_command> find(uint64_t id) const;

  boost::asio::io_context& loop_;
  container_engine engine_;
  std::string image_;
  std::string name_;
  bool stays_;
  container_plan plan_;
  std::string id_;
  std::string found_image_;
  bool running_ = false;
  /// Whatever is left in one that stays must be ended from outside.
  bool unruly_ = false;
  std::shared_ptr<relay_channel> channel_;
  std::map<uint64_t, std::shared_ptr<relayed_command>> commands_;
  std::map<std::string, std::string> environment_;
  std::function<void(caf::error)> ready_;
  std::vector<std::function<void()>> gone_;
  boost::asio::steady_timer patience_;
  phase phase_ = phase::opening;
  caf::error failed_;
  uint64_t last_ = 0;
};

} // namespace troupe
