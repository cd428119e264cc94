#include "troupe/config/errc.hpp"
#include "troupe/sandbox/command_table.hpp"
#include "troupe/sandbox/host_seat.hpp"
#include "troupe/sandbox/process_runner.hpp"

#include <atomic>
#include <utility>

namespace troupe {

namespace {

class host_runner : public process_runner {
public:
  host_runner(std::shared_ptr<process_thread> thread, std::string warden)
    : thread_(std::move(thread)),
      seat_(make_host_seat(std::move(warden))),
      commands_(std::make_shared<command_table>(thread_->loop())) {
    // nop
  }

  // NOLINTNEXTLINE(bugprone-exception-escape): nobody could go on without it
  ~host_runner() override {
    end_on(*thread_, [commands = commands_](std::function<void()> ended) {
      commands->kill_all();
      commands->when_empty(std::move(ended));
    });
  }

  process_id start(process_spec spec, process_done done) override {
    auto id = ++last_;
    thread_->post([commands = commands_, seat = seat_, id,
                   spec = std::move(spec), done = std::move(done)]() mutable {
      commands->start(id, seat, std::move(spec), std::move(done));
    });
    return id;
  }

  void signal(process_id id, int number) override {
    thread_->post(
      [commands = commands_, id, number] { commands->signal(id, number); });
  }

  void terminate(process_id id) override {
    thread_->post([commands = commands_, id] { commands->terminate(id); });
  }

private:
  std::shared_ptr<process_thread> thread_;
  std::shared_ptr<warden_seat> seat_;
  std::shared_ptr<command_table> commands_;
  std::atomic<process_id> last_ = 0;
};

} // namespace

process_runner::~process_runner() {
  // nop
}

caf::expected<std::shared_ptr<process_runner>>
make_host_runner(std::shared_ptr<process_thread> thread, std::string warden) {
  if (warden.empty()) {
    auto found = find_helper("troupe-warden");
    if (!found)
      return found.error();
    warden = std::move(*found);
  }
  if (!thread) {
    auto made = process_thread::make();
    if (!made)
      return made.error();
    thread = std::move(*made);
  }
  return std::static_pointer_cast<process_runner>(
    std::make_shared<host_runner>(std::move(thread), std::move(warden)));
}

} // namespace troupe
