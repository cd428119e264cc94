#pragma once

#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/fwd.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe {

/// One run under way, for a thread that may block. One thread uses it at a
/// time; `cancel` alone may come from any. Dropping it lets the run go on.
class execution {
public:
  execution(caf::actor_system& system, run_handle handle);
  execution(execution&& other) noexcept;
  execution& operator=(execution&& other) noexcept;
  ~execution();

  const std::string& run_id() const noexcept;
  const std::string& session_id() const noexcept;

  /// The next event, waiting for it; nothing after the terminal one. The run
  /// must have been started `with_events`. A reader that falls behind pauses
  /// the run, nothing is lost.
  std::optional<run_event> next();

  /// Ends the run as cancelled; it has ended when `wait` returns.
  void cancel(std::string reason = {}) const;

  /// Waits for the end. Throws `co::failure` when the run's actor died.
  run_object wait();

  /// The run itself.
  const run_actor& actor() const noexcept;

private:
  class reader;
  std::unique_ptr<reader> reader_;
};

} // namespace troupe
