#include "troupe/sandbox/process_runner.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/process_session.hpp"
#include "troupe/sandbox/warden_process.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace troupe {

namespace {

/// What the thread works on; it keeps it as long as it runs.
class process_loop : public std::enable_shared_from_this<process_loop> {
public:
  explicit process_loop(std::string warden) : warden_(std::move(warden)) {
    // nop
  }

  void run() {
    io_.run();
  }

  void start(uint64_t id, process_spec spec, process_done done) {
    post([this, id, spec = std::move(spec), done = std::move(done)]() mutable {
      begin(id, std::move(spec), std::move(done));
    });
  }

  void terminate(uint64_t id) {
    post([this, id] {
      auto found = sessions_.find(id);
      if (found != sessions_.end())
        found->second->terminate();
    });
  }

  // The thread ends when the last session has.
  void stop() {
    post([this] {
      for (const auto& [id, session] : sessions_)
        session->kill();
      work_.reset();
    });
  }

private:
  template <class F>
  void post(F f) {
    boost::asio::post(io_, std::move(f));
  }

  void begin(uint64_t id, process_spec spec, process_done done) {
    auto callback = std::make_shared<process_done>(std::move(done));
    auto session = std::make_shared<process_session>(
      io_, std::move(spec), [this, id, callback](auto result) {
        sessions_.erase(id);
        (*callback)(std::move(result));
      });
    sessions_.emplace(id, session);
    if (auto failed = session->start(warden_)) {
      sessions_.erase(id);
      (*callback)(std::move(failed));
    }
  }

  std::string warden_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
    work_{io_.get_executor()};
  std::map<uint64_t, std::shared_ptr<process_session>> sessions_;
};

// Signals are for the threads of the application. SIGPIPE among them: a command
// may close what we write to.
std::thread start_thread(std::shared_ptr<process_loop> loop) {
  auto all = sigset_t{};
  auto before = sigset_t{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  auto result = std::thread{[loop = std::move(loop)] { loop->run(); }};
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

class warden_runner : public process_runner {
public:
  explicit warden_runner(std::string warden)
    : loop_(std::make_shared<process_loop>(std::move(warden))),
      thread_(start_thread(loop_)) {
    // nop
  }

  // NOLINTNEXTLINE(bugprone-exception-escape): nobody could go on without it
  ~warden_runner() override {
    loop_->stop();
    if (thread_.get_id() == std::this_thread::get_id())
      thread_.detach();
    else
      thread_.join();
  }

  process_id start(process_spec spec, process_done done) override {
    auto id = ++last_;
    loop_->start(id, std::move(spec), std::move(done));
    return id;
  }

  void terminate(process_id id) override {
    loop_->terminate(id);
  }

private:
  std::shared_ptr<process_loop> loop_;
  std::thread thread_;
  std::atomic<process_id> last_ = 0;
};

} // namespace

caf::expected<std::shared_ptr<process_runner>>
process_runner::make(std::string warden) {
  if (warden.empty()) {
    auto found = find_warden();
    if (!found)
      return found.error();
    warden = std::move(*found);
  }
  try {
    return std::static_pointer_cast<process_runner>(
      std::make_shared<warden_runner>(std::move(warden)));
  } catch (const std::system_error& failed) {
    return make_error(errc::sandbox, std::string{"cannot start the thread that "
                                                 "runs commands: "}
                                       + failed.what());
  }
}

process_runner::~process_runner() {
  // nop
}

} // namespace troupe
