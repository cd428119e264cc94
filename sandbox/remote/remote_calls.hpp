#pragma once

#include "troupe/sandbox/remote/remote_client.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// The calls of one client, each on a thread of a few, with a time after which
/// nobody waits any more, and what comes back checked. A call that never comes
/// back costs its thread, and when none is left every call fails. Any thread.
class remote_calls {
public:
  /// How long a file operation may take.
  explicit remote_calls(std::shared_ptr<remote_client> client,
                        caf::timespan patience = std::chrono::seconds{60});

  remote_calls(const remote_calls&) = delete;
  remote_calls& operator=(const remote_calls&) = delete;

  /// Has the client closed, and waits for that and for what runs as long as
  /// for any call.
  ~remote_calls();

  /// At most `most` bytes. Errors: tool, sandbox.
  caf::expected<std::string> read(const std::string& path, uint64_t most);

  /// Errors: tool, sandbox.
  caf::error write(const std::string& path, const std::string& content);

  /// A command that troupe needs itself.
  caf::expected<remote_outcome> exec(const remote_command& command);

  /// Starts a command; `done` is called once, on any thread, unless the client
  /// does not come back. `begun` is called first, when its turn has come.
  /// False: there are too many, or no threads left.
  bool start(remote_command command, std::stop_token stop,
             std::function<void()> begun,
             std::function<void(caf::expected<remote_outcome>)> done);

  /// A call has not come back: its thread is lost.
  void give_up();

private:
  struct shared;

  template <class T>
  caf::expected<T> wait_for(std::function<caf::expected<T>(remote_client&)> f,
                            caf::timespan most);

  std::shared_ptr<shared> shared_;
  caf::timespan patience_;
};

} // namespace troupe
