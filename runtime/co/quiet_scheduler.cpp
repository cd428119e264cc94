#include "troupe/runtime/co/quiet_scheduler.hpp"

#include "troupe/runtime/co/job_queue.hpp"
#include "troupe/runtime/co/quiet_clock.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"
#include "caf/defaults.hpp"
#include "caf/detail/set_thread_name.hpp"
#include "caf/detail/thread_safe_actor_clock.hpp"
#include "caf/execution_unit.hpp"
#include "caf/resumable.hpp"
#include "caf/scheduler/abstract_coordinator.hpp"
#include "caf/scheduler/test_coordinator.hpp"

#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::co {

namespace {

/// A thread that runs jobs. CAF's own tells CAF's logger before and after each
/// whose job it is, by a search and a cast across the actor's classes: an
/// eighth of what a whole run costs, for a logger that Debian's CAF leaves out.
class worker : public caf::execution_unit {
public:
  worker(caf::actor_system& system, detail::job_queue& jobs, size_t throughput)
    : execution_unit(&system),
      jobs_(jobs),
      throughput_(throughput) {
    jobs_.join();
    thread_ = std::thread{[this] {
      caf::detail::set_thread_name("caf.worker");
      this->system().thread_started();
      run();
      this->system().thread_terminates();
    }};
  }

  void exec_later(caf::resumable* job) override {
    jobs_.put_from_worker(job);
  }

  void join() {
    thread_.join();
  }

private:
  void run() {
    while (auto* job = jobs_.take())
      switch (job->resume(this, throughput_)) {
        case caf::resumable::resume_later:
          jobs_.put_from_worker(job); // the reference goes with it
          break;
        case caf::resumable::done:
        case caf::resumable::awaiting_message:
          caf::intrusive_ptr_release(job);
          break;
        case caf::resumable::shutdown_execution_unit:
          return; // CAF's coordinators end their workers with it
      }
  }

  detail::job_queue& jobs_;
  size_t throughput_;
  std::thread thread_;
};

/// The threads of one actor system: its workers, and the clock's.
class quiet_coordinator : public caf::scheduler::abstract_coordinator {
public:
  using super = caf::scheduler::abstract_coordinator;

  explicit quiet_coordinator(caf::actor_system& system)
    : super(system),
      quiet_(clock_) {
    // nop
  }

  void enqueue(caf::resumable* job) override {
    jobs_.put(job);
  }

  caf::actor_clock& clock() noexcept override {
    return quiet_;
  }

protected:
  void start() override {
    for (size_t i = 0; i < num_workers(); ++i)
      workers_.push_back(
        std::make_unique<worker>(system(), jobs_, max_throughput()));
    timer_ = std::thread{[this] {
      caf::detail::set_thread_name("caf.clock");
      system().thread_started();
      clock_.run_dispatch_loop();
      system().thread_terminates();
    }};
    super::start();
  }

  void stop() override {
    for (size_t i = 0; i < workers_.size(); ++i)
      jobs_.put(nullptr); // behind what is ready by now
    stop_actors();
    for (auto& one : workers_)
      one->join();
    while (auto* job = jobs_.pop())
      cleanup_and_release(job);
    clock_.cancel_dispatch_loop();
    timer_.join();
  }

private:
  caf::detail::thread_safe_actor_clock clock_;
  detail::quiet_clock quiet_;
  detail::job_queue jobs_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::thread timer_;
};

} // namespace

void use_quiet_scheduler(caf::actor_system_config& config) {
  config.module_factories.emplace_back(
    [](caf::actor_system& system) -> caf::actor_system::module* {
      auto policy = caf::get_or(system.config(), "scheduler.policy",
                                caf::defaults::scheduler::policy);
      if (policy == caf::atom("testing"))
        return new caf::scheduler::test_coordinator(system);
      return new quiet_coordinator(system);
    });
}

} // namespace troupe::co
