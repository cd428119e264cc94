#include "troupe/sandbox/bubblewrap_runner.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/host_seat.hpp"
#include "troupe/sandbox/sandbox_pool.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <atomic>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

class bubblewrap_runner : public process_runner {
public:
  bubblewrap_runner(std::shared_ptr<process_thread> thread,
                    bubblewrap_host host,
                    std::shared_ptr<const workspace> where,
                    sandbox_settings policy)
    : thread_(std::move(thread)),
      pool_(std::make_shared<sandbox_pool>(thread_->loop(), std::move(host),
                                           std::move(where),
                                           std::move(policy))) {
    // nop
  }

  // NOLINTNEXTLINE(bugprone-exception-escape): nobody could go on without it
  ~bubblewrap_runner() override {
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
  std::shared_ptr<sandbox_pool> pool_;
  std::atomic<process_id> last_ = 0;
};

// Empty: it is not there.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? name : std::string{};
  const auto* path = std::getenv("PATH"); // NOLINT: no one sets it
  auto folders = std::istringstream{path != nullptr ? path : "/usr/bin:/bin"};
  auto folder = std::string{};
  while (std::getline(folders, folder, ':')) {
    auto is_absolute = folder.starts_with("/");
    folder.append("/").append(name);
    if (is_absolute && ::access(folder.c_str(), X_OK) == 0)
      return folder;
  }
  return {};
}

} // namespace

caf::expected<bubblewrap_host> find_bubblewrap_host() {
  auto result = bubblewrap_host{};
  result.bubblewrap = find_program("bwrap");
  if (result.bubblewrap.empty())
    return make_error(errc::sandbox, "the program bwrap is missing", {},
                      "apt-get install bubblewrap");
  for (auto [name, to] : {std::pair{"troupe-sandbox-init", &result.init},
                          std::pair{"troupe-warden", &result.warden}}) {
    auto found = find_helper(name);
    if (!found)
      return std::move(found.error());
    *to = std::move(*found);
  }
  result.cgroups = find_cgroup_parents();
  return result;
}

caf::expected<std::shared_ptr<process_runner>>
make_bubblewrap_runner(std::shared_ptr<process_thread> thread,
                       bubblewrap_host host,
                       std::shared_ptr<const workspace> where,
                       const sandbox_settings& policy) {
  if (!thread) {
    auto made = process_thread::make();
    if (!made)
      return std::move(made.error());
    thread = std::move(*made);
  }
  return std::static_pointer_cast<process_runner>(
    std::make_shared<bubblewrap_runner>(std::move(thread), std::move(host),
                                        std::move(where), policy));
}

} // namespace troupe
