#pragma once

#include "troupe/sandbox/bubblewrap_plan.hpp"
#include "troupe/sandbox/cgroup.hpp"
#include "troupe/sandbox/init/protocol.hpp"
#include "troupe/sandbox/network/gateway.hpp"
#include "troupe/sandbox/warden_seat.hpp"

#include "caf/error.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace troupe {

class process_session;

/// One set of namespaces with our init in it: bubblewrap, under a warden of the
/// host, so that it ends when its owner does. Wardens and their commands are
/// put into it. Lives on the thread of its runner; what it waits for keeps it.
class namespace_sandbox
  : public warden_seat,
    public std::enable_shared_from_this<namespace_sandbox> {
public:
  /// `host` is where bubblewrap runs; `limits` the group of the sandbox's
  /// processes, if there can be one: its folders go with the sandbox.
  namespace_sandbox(boost::asio::io_context& loop,
                    std::shared_ptr<warden_seat> host,
                    std::optional<cgroup> limits);

  /// Starts it. `ready` is called once, with an error of kind sandbox when it
  /// does not come up. Nothing can be placed before that.
  void open(const bubblewrap_plan& plan, std::function<void(caf::error)> ready);

  /// Ends it and everything in it; `gone`, if any, is called when that is done.
  void close(std::function<void()> gone);

  bool is_open() const noexcept;

  /// The sockets that its init opened, in the order of the plan; once, when it
  /// is ready.
  std::vector<unique_fd> take_sockets();

  /// Keeps the gateway that answers on its sockets as long as it is there: they
  /// hold its network.
  void attach(std::unique_ptr<gateway> way_out);

  /// Has a command ended, for what happened in the group since the last call,
  /// if anything did: the one that has the most processes, if there are nearly
  /// `most`, or the only one that could have taken the memory.
  void relieve(uint64_t most);

  /// What has happened in its group so far; nothing when it has none, or as
  /// much as is known when it is gone.
  cgroup_counts counts();

  bool has_limits() const noexcept;

  caf::expected<uint64_t> place(warden_ends ends) override;
  void wake(uint64_t id) override;
  void release(uint64_t id) override;
  void abandon(uint64_t id,
               std::function<void(std::string sentence)> then) override;

private:
  enum class phase : uint8_t { opening, open, closing, gone };

  caf::error start(const bubblewrap_plan& plan);
  void await_answer();
  void take_answer();
  void await_end();
  void settle(caf::error failed);
  void note_end(const std::string& complaint);
  bool send(int socket, const init::order& what, const warden_ends* ends);

  boost::asio::io_context& loop_;
  std::shared_ptr<warden_seat> host_;
  std::optional<cgroup> limits_;
  boost::asio::posix::stream_descriptor control_;
  std::shared_ptr<process_session> outer_;
  std::function<void(caf::error)> ready_;
  std::vector<std::function<void()>> gone_;
  boost::asio::steady_timer patience_;
  /// Where commands are started.
  unique_fd starts_;
  std::vector<unique_fd> sockets_;
  std::unique_ptr<gateway> gateway_;
  phase phase_ = phase::opening;
  cgroup_counts counted_;
  cgroup_counts relieved_;
  uint64_t last_ = 0;
};

} // namespace troupe
