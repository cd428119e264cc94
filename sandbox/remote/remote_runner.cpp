#include "troupe/sandbox/remote/remote_runner.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/command_table.hpp"
#include "troupe/sandbox/remote/remote_tree.hpp"
#include "troupe/sandbox/tree_file_space.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <stop_token>
#include <utility>

namespace troupe {

namespace {

// What the way there and back may cost.
constexpr auto patience = std::chrono::seconds{10};

constexpr auto longest = std::chrono::hours{24 * 365};

caf::error check(const process_spec& spec) {
  if (spec.argv.empty() || spec.argv.front().empty())
    return make_error(errc::tool, "there is no command to run");
  if (spec.stdio.input || spec.stdio.output || spec.stdio.errors)
    return make_error(errc::sandbox,
                      "a remote sandbox cannot be talked with while a command "
                      "runs");
  if (!spec.can_spawn)
    return make_error(errc::sandbox, "a remote sandbox cannot keep a command "
                                     "from starting others");
  return {};
}

remote_command command_of(process_spec spec) {
  auto result = remote_command{};
  result.argv = std::move(spec.argv);
  result.directory = std::move(spec.directory);
  result.environment = std::move(spec.environment);
  result.stdin_text = std::move(spec.stdin_text);
  result.timeout = spec.wall;
  result.output = spec.output;
  return result;
}

process_result result_of(remote_outcome x) {
  auto result = process_result{};
  result.stdout_text = std::move(x.stdout_text);
  result.stderr_text = std::move(x.stderr_text);
  result.status = x.status;
  result.signal = x.signal;
  result.timed_out = x.timed_out;
  result.truncated = x.truncated;
  if (x.timed_out)
    result.limit = "wall";
  return result;
}

/// The commands under way. Lives on the process thread.
class remote_table : public std::enable_shared_from_this<remote_table> {
public:
  using process_id = process_runner::process_id;

  remote_table(std::shared_ptr<process_thread> thread,
               std::shared_ptr<remote_calls> calls)
    : thread_(std::move(thread)),
      calls_(std::move(calls)) {
    // nop
  }

  void start(process_id id, process_spec spec, process_done done) {
    auto failed = check(spec);
    if (failed)
      return done(std::move(failed));
    auto one = std::make_shared<entry>(thread_->loop());
    one->done = std::move(done);
    one->most = std::clamp<caf::timespan>(spec.wall, {}, longest) + spec.grace
                + patience;
    one->grace = spec.grace + patience;
    // From its threads back to this one.
    auto weak = std::weak_ptr{shared_from_this()};
    auto back = [weak, on = std::weak_ptr{thread_}](auto f) {
      if (auto thread = on.lock())
        thread->post([weak, f = std::move(f)]() mutable {
          if (auto self = weak.lock())
            f(*self);
        });
    };
    auto begun = [back, id] {
      back([id](remote_table& self) { self.begin(id); });
    };
    auto ended = [back, id](caf::expected<remote_outcome> result) {
      back([id, result = std::move(result)](remote_table& self) mutable {
        self.finish(id, result ? caf::expected<process_result>{result_of(
                                   std::move(*result))}
                               : std::move(result.error()));
      });
    };
    entries_.emplace(id, one);
    if (!calls_->start(command_of(std::move(spec)), one->stop.get_token(),
                       std::move(begun), std::move(ended)))
      finish(id, make_error(errc::sandbox,
                            "the remote sandbox takes no more calls"));
  }

  void terminate(process_id id) {
    auto found = entries_.find(id);
    if (found == entries_.end() || !found->second->stop.request_stop())
      return;
    arm(id, found->second->grace);
  }

  void end_all(std::function<void()> ended) {
    ended_.push_back(std::move(ended));
    auto ids = std::vector<process_id>{};
    for (const auto& [id, one] : entries_)
      ids.push_back(id);
    for (auto id : ids)
      terminate(id);
    tell();
  }

private:
  struct entry {
    explicit entry(boost::asio::io_context& loop) : timer(loop) {
      // nop
    }

    process_done done;
    std::stop_source stop;
    boost::asio::steady_timer timer;
    caf::timespan most{0};
    caf::timespan grace{0};
    bool begun = false;
  };

  void begin(process_id id) {
    auto found = entries_.find(id);
    if (found == entries_.end())
      return;
    found->second->begun = true;
    if (!found->second->stop.stop_requested())
      arm(id, found->second->most);
  }

  void arm(process_id id, caf::timespan after) {
    auto& timer = entries_.at(id)->timer;
    timer.expires_after(after);
    timer.async_wait([self = shared_from_this(), id](auto failed) {
      if (failed || !self->entries_.contains(id))
        return;
      // Nobody else will wait for that thread.
      if (self->entries_.at(id)->begun)
        self->calls_->give_up();
      self->finish(id, make_error(errc::sandbox,
                                  "the remote sandbox does not answer: the "
                                  "command may still run"));
    });
  }

  void finish(process_id id, caf::expected<process_result> result) {
    auto found = entries_.find(id);
    if (found == entries_.end())
      return;
    auto one = std::move(found->second);
    entries_.erase(found);
    one->timer.cancel();
    one->done(std::move(result));
    tell();
  }

  void tell() {
    if (entries_.empty())
      for (auto& f : std::exchange(ended_, {}))
        f();
  }

  std::shared_ptr<process_thread> thread_;
  std::shared_ptr<remote_calls> calls_;
  std::map<process_id, std::shared_ptr<entry>> entries_;
  std::vector<std::function<void()>> ended_;
};

class remote_runner : public process_runner {
public:
  remote_runner(std::shared_ptr<process_thread> thread,
                std::shared_ptr<remote_calls> calls)
    : thread_(std::move(thread)),
      table_(std::make_shared<remote_table>(thread_, std::move(calls))) {
    // nop
  }

  // NOLINTNEXTLINE(bugprone-exception-escape): nobody could go on without it
  ~remote_runner() override {
    end_on(*thread_, [table = table_](std::function<void()> ended) {
      table->end_all(std::move(ended));
    });
  }

  process_id start(process_spec spec, process_done done) override {
    auto id = ++last_;
    thread_->post([table = table_, id, spec = std::move(spec),
                   done = std::move(done)]() mutable {
      table->start(id, std::move(spec), std::move(done));
    });
    return id;
  }

  void signal(process_id, int) override {
    // nop
  }

  void terminate(process_id id) override {
    thread_->post([table = table_, id] { table->terminate(id); });
  }

private:
  std::shared_ptr<process_thread> thread_;
  std::shared_ptr<remote_table> table_;
  std::atomic<process_id> last_ = 0;
};

// A limit that was changed is one that somebody counts on.
caf::error check_limits(const sandbox_limits& x) {
  auto usual = sandbox_limits{};
  for (auto [name, is_usual] :
       {std::pair{"cpu", x.cpu == usual.cpu},
        std::pair{"memory", x.memory == usual.memory},
        std::pair{"processes", x.processes == usual.processes},
        std::pair{"open_files", x.open_files == usual.open_files},
        std::pair{"tmp", x.tmp == usual.tmp}})
    if (!is_usual)
      return make_error(errc::policy,
                        std::string{"nobody here can keep the limit "} + name
                          + " of a remote sandbox",
                        std::string{"sandbox.limits."} + name,
                        "leave it out: the remote side has its own");
  return {};
}

} // namespace

caf::error check_remote(const sandbox_settings& policy) {
  auto has_root_alone = policy.runtime_paths.empty() && policy.files.size() == 1
                        && policy.files.begin()->first == "root"
                        && policy.files.begin()->second
                             == file_access::read_write;
  if (!has_root_alone)
    return make_error(errc::policy,
                      "a remote sandbox has one path, root, for reading and "
                      "writing",
                      "sandbox.files", "files: {root: read_write}");
  if (policy.network.mode != "none" && policy.network.mode != "inherit")
    return make_error(errc::policy,
                      "nothing here decides about the network of a remote "
                      "sandbox",
                      "sandbox.network");
  if (policy.root_filesystem != "isolated")
    return make_error(
      errc::policy, "a remote sandbox shows files of its own, not this host's",
      "sandbox.root_filesystem", "isolated");
  if (policy.inherit_environment)
    return make_error(errc::policy,
                      "the variables of this host are not for a remote sandbox",
                      "sandbox.environment.inherit",
                      "name those it needs in environment.set");
  return check_limits(policy.limits);
}

caf::expected<std::unique_ptr<file_space>>
make_remote_file_space(std::shared_ptr<remote_calls> calls,
                       const sandbox_settings& policy) {
  if (auto failed = check_remote(policy))
    return failed;
  auto files = mounted_trees{};
  files.add("root", file_access::read_write,
            std::make_unique<remote_tree>(std::move(calls), policy.limits.file,
                                          policy.limits.list));
  auto result = std::unique_ptr<file_space>{
    std::make_unique<tree_file_space>(std::move(files), policy.limits)};
  return result;
}

caf::expected<process_spec> plan_remote(const process_request& request,
                                        const sandbox_settings& policy) {
  auto directory = parse_workspace_path(request.directory);
  if (!directory)
    return std::move(directory.error());
  if (directory->name != "root")
    return make_error(errc::tool, in_quotes(directory->name)
                                    + " is no workspace path of commands");
  auto result = process_spec{};
  result.argv = request.argv;
  result.directory = directory->relative;
  result.environment = policy.environment;
  result.stdin_text = request.stdin_text;
  result.wall = request.timeout > caf::timespan{0}
                  ? std::min(request.timeout, policy.limits.wall)
                  : policy.limits.wall;
  result.output = policy.limits.output;
  return result;
}

caf::expected<std::shared_ptr<process_runner>>
make_remote_runner(std::shared_ptr<process_thread> thread,
                   std::shared_ptr<remote_calls> calls) {
  if (!thread) {
    auto made = process_thread::make();
    if (!made)
      return std::move(made.error());
    thread = std::move(*made);
  }
  return std::static_pointer_cast<process_runner>(
    std::make_shared<remote_runner>(std::move(thread), std::move(calls)));
}

} // namespace troupe
