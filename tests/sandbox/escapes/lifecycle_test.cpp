// Ends commands, runners and whole programs at random moments, and looks for
// what is left: processes, cgroups, mounts.

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/cgroup_record.hpp"
#include "troupe/sandbox/owner_record.hpp"

#include "sandbox/escapes/arena.hpp"
#include "sandbox/process_support.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace troupe;
namespace fs = std::filesystem;

namespace {

constexpr auto scripts = std::array{
  "sleep 1000",
  "setsid sleep 1000 & setsid sleep 1000 & exit 0",
  "(setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' &) & wait",
  "trap '' TERM; while :; do sleep 0.01; done",
  "kill -STOP $$; sleep 1000",
  "kill -STOP $PPID; sleep 1000",
  "kill -9 $PPID; sleep 1000",
  "kill -9 -1; sleep 1000",
  "yes",
  "yes | head -c 100000000 >&2 & yes",
  "i=0; while [ $i -lt 30 ]; do sleep 1000 & i=$((i+1)); done; wait",
  "attacker --fork 60",
  "while :; do (sleep 0.001 &) ; done",
  "echo $$ > f; cat f; exec sleep 0.02",
  "true",
};

std::string read(const fs::path& path) {
  auto in = std::ifstream{path};
  auto out = std::ostringstream{};
  out << in.rdbuf();
  return out.str();
}

ino_t pid_namespace(const fs::path& process) {
  struct stat found{};

  auto path = (process / "ns/pid").string();
  return ::stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

// Processes in PID namespaces other than ours that have `workspace` mounted,
// and those of the host that were started for it.
int processes_over(const std::string& workspace) {
  auto count = 0;
  auto ours = pid_namespace("/proc/self");
  auto ignored = std::error_code{};
  for (const auto& entry : fs::directory_iterator{"/proc", ignored}) {
    auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    auto there = pid_namespace(entry.path());
    auto is_inside = there != 0 && there != ours
                     && read(entry.path() / "mountinfo").find(workspace)
                          != std::string::npos;
    auto is_outside = there == ours && std::to_string(::getpid()) != name
                      && read(entry.path() / "cmdline").find(workspace)
                           != std::string::npos;
    count += is_inside || is_outside ? 1 : 0;
  }
  return count;
}

// The groups that `owners` made and that are still there.
std::vector<std::string> groups_of(const std::set<pid_t>& owners) {
  auto result = std::vector<std::string>{};
  auto parents = test::host_parts().cgroups;
  auto ignored = std::error_code{};
  for (const auto& parent : {parents.memory, parents.processes}) {
    if (parent.empty())
      continue;
    for (const auto& entry : fs::directory_iterator{parent, ignored})
      for (auto owner : owners)
        if (entry.path().filename().string().find("-" + std::to_string(owner)
                                                  + ".")
            != std::string::npos)
          result.push_back(entry.path().string());
  }
  return result;
}

std::string mounts_here() {
  return read("/proc/self/mountinfo");
}

/// Where it all takes place.
class stage {
public:
  explicit stage(unsigned seed) : random_(seed) {
    fs::permissions(dir_.path(), fs::perms{0755});
    fs::create_directory(dir_.path() / "W");
    settings_.root = path();
    policy_.limits.processes = 64;
    policy_.limits.output = 4096;
  }

  std::string path() const {
    return (dir_.path() / "W").string();
  }

  const char* script() {
    return scripts[below(scripts.size())];
  }

  size_t below(size_t end) {
    return std::uniform_int_distribution<size_t>{0, end - 1}(random_);
  }

  void pause() {
    std::this_thread::sleep_for(std::chrono::microseconds{below(25'000)});
  }

  std::shared_ptr<process_runner> make_runner(bool warm) {
    auto policy = policy_;
    policy.warm = warm;
    auto where = workspace::open(settings_, "/");
    REQUIRE(where);
    where_ = *where;
    auto runner = make_bubblewrap_runner(nullptr, test::host_parts(), where_,
                                         policy);
    REQUIRE(runner);
    return *runner;
  }

  process_spec spec() {
    auto result = process_spec{};
    result.argv = {"/bin/sh", "-c", script()};
    result.directory = path();
    result.environment = {{"PATH", "/usr/bin:/bin"}};
    result.output = 4096;
    result.overflow = below(2) == 0 ? output_overflow::end
                                    : output_overflow::drain;
    result.wall = std::chrono::milliseconds{below(40) + 1};
    result.grace = std::chrono::milliseconds{below(20)};
    return result;
  }

  process_spec shell(const std::string& script) {
    auto result = spec();
    result.argv = {"/bin/sh", "-c", script};
    result.wall = std::chrono::seconds{10};
    return result;
  }

  pid_t start_owner() {
    auto program = std::string{TROUPE_BOX_OWNER};
    auto where = path();
    auto kind = std::string{below(2) == 0 ? "warm" : "fresh"};
    auto first = std::string{script()};
    auto second = std::string{script()};
    auto argv = std::array{program.data(), where.data(),
                           kind.data(),    first.data(),
                           second.data(),  static_cast<char*>(nullptr)};
    auto pid = pid_t{-1};
    REQUIRE(::posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv.data(),
                          environ)
            == 0);
    return pid;
  }

private:
  test::temp_dir dir_;
  workspace_settings settings_;
  sandbox_settings policy_;
  std::shared_ptr<workspace> where_;
  std::mt19937 random_;
};

using result_future = std::future<caf::expected<process_result>>;

result_future start(process_runner& runner, process_spec spec,
                    process_runner::process_id& id) {
  auto done = std::make_shared<std::promise<caf::expected<process_result>>>();
  auto result = done->get_future();
  id = runner.start(std::move(spec),
                    [done](auto x) { done->set_value(std::move(x)); });
  return result;
}

void end_commands(stage& on, process_runner& runner) {
  auto id = process_runner::process_id{};
  auto done = start(runner, on.spec(), id);
  if (on.below(2) == 0) {
    on.pause();
    runner.terminate(id);
  }
  // Any end will do; that it comes is the claim.
  static_cast<void>(done.get());
}

void drop_runner(stage& on) {
  auto runner = on.make_runner(on.below(2) == 0);
  auto id = process_runner::process_id{};
  auto first = start(*runner, on.spec(), id);
  auto second = start(*runner, on.spec(), id);
  on.pause();
  runner.reset();
  static_cast<void>(first.get());
  static_cast<void>(second.get());
}

pid_t kill_owner(stage& on) {
  auto owner = on.start_owner();
  on.pause();
  on.pause();
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  return owner;
}

size_t points() {
  const auto* wanted = std::getenv("TROUPE_LIFECYCLE_POINTS");
  return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 500;
}

} // namespace

TEST_CASE("nothing is left, at whatever moment a sandbox ends", "[lifecycle]") {
  if (!test::can_open_sandboxes())
    return;
  auto seed = std::random_device{}();
  INFO("seed " << seed);
  auto on = stage{seed};
  auto mounts = mounts_here();
  auto owners = std::set<pid_t>{::getpid()};
  auto warm = on.make_runner(true);
  auto fresh = on.make_runner(false);
  for (auto i = size_t{0}; i < points(); ++i) {
    switch (on.below(4)) {
      case 0:
        end_commands(on, *fresh);
        break;
      case 1:
        drop_runner(on);
        break;
      case 2:
        owners.insert(kill_owner(on));
        break;
      default:
        end_commands(on, *warm);
    }
  }
  warm.reset();
  fresh.reset();
  CHECK(test::eventually([&] { return processes_over(on.path()) == 0; }));
  // An owner that was killed as it began leaves it to the next.
  CHECK(test::eventually([&] {
    sweep_cgroups(test::host_parts().cgroups);
    return groups_of(owners).empty();
  }));
  CHECK(mounts_here() == mounts);
}

TEST_CASE("a warm sandbox serves after whatever its commands did",
          "[lifecycle]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = test::attacked_host{};
  auto where = test::arena{host, true};
  for (const auto* script : scripts) {
    INFO(script);
    auto spec = where.shell(script, {});
    spec.wall = std::chrono::milliseconds{100};
    spec.grace = std::chrono::milliseconds{20};
    auto result = test::run(*where.at({}).runner, std::move(spec));
    // A kernel without scopes lets a command end its sandbox.
    if (test::has_scopes())
      CHECK(result);
    CHECK(where.run("echo fine").stdout_text == "fine\n");
  }
}

TEST_CASE("a sandbox opened ahead is used by one command only", "[lifecycle]") {
  if (!test::can_open_sandboxes())
    return;
  auto on = stage{1};
  auto runner = on.make_runner(false);
  for (auto i = 0; i < 3; ++i) {
    auto result = test::run(*runner, on.shell("ls /tmp/mine; touch /tmp/mine"));
    REQUIRE(result);
    CHECK(result->stdout_text.empty());
    // The next one.
    CHECK(test::eventually([&] { return processes_over(on.path()) > 0; }));
  }
  runner.reset();
  CHECK(test::eventually([&] { return processes_over(on.path()) == 0; }));
}

TEST_CASE("a sandbox opened ahead is not used when its directory was replaced",
          "[lifecycle]") {
  if (!test::can_open_sandboxes())
    return;
  auto on = stage{1};
  auto runner = on.make_runner(false);
  REQUIRE(test::run(*runner, on.shell("true")));
  REQUIRE(test::eventually([&] { return processes_over(on.path()) > 0; }));
  fs::rename(on.path(), on.path() + "-before");
  fs::create_directory(on.path());
  auto result = test::run(*runner, on.shell("true"));
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).message.find("no longer the directory")
        != std::string::npos);
  CHECK(test::eventually([&] { return processes_over(on.path()) == 0; }));
}

TEST_CASE("groups whose owner and warden were killed are swept away",
          "[lifecycle]") {
  if (!test::can_open_sandboxes())
    return;
  auto parents = test::host_parts().cgroups;
  if (parents.version == 0) {
    WARN("skipped: no cgroup can be made here");
    return;
  }
  // As such an owner leaves it.
  auto name = std::string{};
  auto pipe = std::array<int, 2>{};
  REQUIRE(::pipe(pipe.data()) == 0);
  auto owner = ::fork();
  if (owner == 0) {
    auto chosen = make_owned_name();
    auto made = cgroup::make(parents, chosen, 1 << 24, 10);
    auto count = ::write(pipe[1], chosen.data(), chosen.size());
    ::_exit(made && count > 0 ? 0 : 1);
  }
  ::close(pipe[1]);
  auto text = std::array<char, 256>{};
  auto count = ::read(pipe[0], text.data(), text.size());
  ::close(pipe[0]);
  auto status = 0;
  ::waitpid(owner, &status, 0);
  REQUIRE(status == 0);
  name.assign(text.data(), static_cast<size_t>(count));
  CHECK(groups_of({owner}).size() >= 1);
  // Neither a stranger's group of the same form, nor one in use.
  auto stranger = parents.processes + "/" + name + "9";
  fs::create_directory(stranger);
  auto mine = make_owned_name();
  auto used = cgroup::make(parents, mine, 1 << 24, 10);
  REQUIRE(used);
  sweep_cgroups(parents);
  CHECK_FALSE(fs::exists(parents.processes + "/" + name));
  CHECK_FALSE(fs::exists(parents.memory + "/" + name));
  CHECK(fs::exists(stranger));
  CHECK(fs::exists(parents.processes + "/" + mine));
  fs::remove(stranger);
}
