#pragma once

#include "troupe/sandbox/command_table.hpp"
#include "troupe/sandbox/process_runner.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace troupe {

/// A runner whose commands are up to a pool of sandboxes, which lives on the
/// process thread and has the same calls, and `close`. Any thread.
template <class Pool>
class pool_runner : public process_runner {
public:
  pool_runner(std::shared_ptr<process_thread> thread,
              std::shared_ptr<Pool> pool)
    : thread_(std::move(thread)),
      pool_(std::move(pool)) {
    // nop
  }

  // NOLINTNEXTLINE(bugprone-exception-escape): nobody could go on without it
  ~pool_runner() override {
    end_on(*thread_, [pool = pool_](std::function<void()> ended) {
      pool->close(std::move(ended));
    });
  }

  process_id start(process_spec spec, process_done done) override {
    auto id = ++last_;
    thread_->post([pool = pool_, id, spec = std::move(spec),
                   done = std::move(done)]() mutable {
      pool->start(id, std::move(spec), std::move(done));
    });
    return id;
  }

  void signal(process_id id, int number) override {
    thread_->post([pool = pool_, id, number] { pool->signal(id, number); });
  }

  void terminate(process_id id) override {
    thread_->post([pool = pool_, id] { pool->terminate(id); });
  }

private:
  std::shared_ptr<process_thread> thread_;
  std::shared_ptr<Pool> pool_;
  std::atomic<process_id> last_ = 0;
};

} // namespace troupe
