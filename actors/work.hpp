#pragma once

#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/fwd.hpp"

namespace troupe {

/// A worker that a thread waits for. A handle: the worker goes on without it.
class work {
public:
  work(caf::actor_system& system, run_worker_actor worker);

  /// Waits until it has ended. From one thread.
  void wait();

  /// Has it take no more, and end what it took. From any thread, at once.
  void stop();

  const run_worker_actor& actor() const noexcept {
    return worker_;
  }

private:
  caf::actor_system* system_;
  run_worker_actor worker_;
};

} // namespace troupe
