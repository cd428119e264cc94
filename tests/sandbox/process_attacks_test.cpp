#include "sandbox/process_support.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <future>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace troupe;
using test::eventually;
using test::is_gone;
using test::make_runner;
using test::read_pids;
using test::run;
using test::shell;

namespace {

/// Scripts that start processes, each of which appends its id to `pids`.
struct escape {
  const char* name;
  const char* script;
};

constexpr auto escapes = std::array{
  escape{"background child", "sleep 1000 & echo $! >> pids"},
  escape{"child that keeps the pipes and ignores TERM",
         "(trap '' TERM HUP; echo $$ >/dev/null; sh -c 'echo $$ >> pids; "
         "while :; do sleep 1000; done') &"},
  escape{"daemon by setsid", "setsid sh -c 'echo $$ >> pids; exec sleep 1000' "
                             "</dev/null >/dev/null 2>&1 &"},
  escape{"double fork", "(sh -c 'echo $$ >> pids; exec sleep 1000' &) & wait"},
  escape{"daemon by setsid and double fork",
         "setsid sh -c '(setsid sh -c \"echo \\$\\$ >> pids; exec sleep 1000\" "
         "&)'"},
  escape{"stopped process",
         "sh -c 'echo $$ >> pids; kill -STOP $$; sleep 1000' &"},
  escape{"deep tree", "sh -c 'echo $$ >> pids; sh -c \"echo \\$\\$ >> pids; "
                      "sleep 1000; :\"; :' &"},
};

bool all_gone(const test::temp_dir& dir) {
  auto pids = read_pids(dir, "pids");
  return std::all_of(pids.begin(), pids.end(), is_gone);
}

} // namespace

TEST_CASE("nothing that a command started outlives its end",
          "[process][attack]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  for (const auto& [name, script] : escapes) {
    CAPTURE(name);
    dir.write("pids", "");
    auto waiting = std::string{"; while [ ! -s pids ]; do sleep 0.01; done"};
    auto ended = std::string{script}.ends_with("&") ? script + waiting.substr(1)
                                                    : script + waiting;
    auto result = run(*sut, shell(ended + "; echo done", dir));
    REQUIRE(result);
    CHECK(result->stdout_text == "done\n");
    CHECK(result->status == 0);
    CHECK_FALSE(read_pids(dir, "pids").empty());
    CHECK(all_gone(dir));
  }
}

TEST_CASE("nothing that a command started outlives its time",
          "[process][attack]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  for (const auto& [name, script] : escapes) {
    CAPTURE(name);
    dir.write("pids", "");
    auto spec = shell(std::string{"trap '' TERM; "} + script
                        + "\nwhile :; do sleep 1000; done",
                      dir);
    spec.wall = std::chrono::milliseconds{400};
    spec.grace = std::chrono::milliseconds{50};
    auto result = run(*sut, spec);
    REQUIRE(result);
    CHECK(result->timed_out);
    // Where it came to ignore TERM before its time was up.
    if (!read_pids(dir, "pids").empty())
      CHECK(result->signal == SIGKILL);
    CHECK(all_gone(dir));
  }
}

TEST_CASE("a command that stopped itself is ended", "[process][attack]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto spec = shell("kill -STOP $$; sleep 1000", dir);
  spec.wall = std::chrono::milliseconds{200};
  auto result = run(*sut, spec);
  REQUIRE(result);
  CHECK(result->timed_out);
  CHECK(result->signal == SIGTERM);
}

TEST_CASE("a burst of forks is ended", "[process][attack]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto spec = shell("trap '' TERM; i=0; while [ $i -lt 150 ]; do "
                    "(echo $$ >/dev/null; setsid sleep 1000) & "
                    "echo $! >> pids; i=$((i+1)); done; sleep 1000",
                    dir);
  spec.wall = std::chrono::seconds{1};
  spec.grace = std::chrono::milliseconds{10};
  auto result = run(*sut, spec);
  REQUIRE(result);
  CHECK_FALSE(read_pids(dir, "pids").empty());
  CHECK(all_gone(dir));
}

TEST_CASE("a process that always forks ahead of its end is caught",
          "[process][attack]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  // Each lives for a moment and is succeeded by its child; bounded, in case
  // nothing catches it.
  dir.write("comet", "echo $$ >> pids\n[ $1 -gt 3000 ] && exit\n"
                     "sh comet $(($1+1)) &\n");
  auto result = run(*sut,
                    shell("sh comet 0; while [ ! -s pids ]; do :; done", dir));
  REQUIRE(result);
  CHECK(all_gone(dir));
  auto count = read_pids(dir, "pids").size();
  CHECK(count < 3000);
}

TEST_CASE("what is left in the pipes when a command ends is read",
          "[process][attack]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto spec = shell("echo a; (sleep 0.02; echo late) & sleep 1000 & exit 0",
                    dir);
  // A busy machine may not get to it before the time that is left.
  CHECK(eventually([&] {
    auto result = run(*sut, spec);
    return result && result->stdout_text == "a\nlate\n";
  }));
}

TEST_CASE("a command that kills its warden is reported and goes too",
          "[process][attack]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto result = run(*sut, shell("echo $$ > pids; kill -9 $PPID; "
                                "while :; do sleep 0.1; done",
                                dir));
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).kind == errc::sandbox);
  CHECK(eventually([&] { return all_gone(dir); }));
}

TEST_CASE("a command that stops its warden is ended all the same",
          "[process][attack]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto spec = shell("echo $$ > pids; kill -STOP $PPID; sleep 1000", dir);
  spec.wall = std::chrono::milliseconds{200};
  auto result = run(*sut, spec);
  REQUIRE(result);
  CHECK(result->timed_out);
  CHECK(all_gone(dir));
}

TEST_CASE("dropping the runner kills and waits", "[process][attack]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto done = std::promise<caf::expected<process_result>>{};
  sut->start(shell("trap '' TERM; setsid sleep 1000 & echo $! >> pids; "
                   "echo $$ >> pids; while :; do sleep 1000; done",
                   dir),
             [&](auto result) { done.set_value(std::move(result)); });
  REQUIRE(eventually([&] { return read_pids(dir, "pids").size() == 2; }));
  sut.reset();
  CHECK(all_gone(dir));
  auto result = done.get_future().get();
  REQUIRE(result);
  CHECK(result->signal == SIGKILL);
}

TEST_CASE("a SIGKILL of the owner leaves nothing", "[process][attack]") {
  auto dir = test::temp_dir{};
  for (const auto& [name, script] : escapes) {
    CAPTURE(name);
    dir.write("pids", "");
    auto command = "trap '' TERM HUP; echo $$ >> pids; " + std::string{script}
                   + "\nwhile :; do sleep 1000; done";
    auto program = std::string{TROUPE_SANDBOX_OWNER};
    auto folder = dir.path().string();
    auto argv = std::array{program.data(), folder.data(), command.data(),
                           static_cast<char*>(nullptr)};
    auto owner = pid_t{-1};
    REQUIRE(::posix_spawn(&owner, program.c_str(), nullptr, nullptr,
                          argv.data(), environ)
            == 0);
    CHECK(eventually([&] { return read_pids(dir, "pids").size() >= 2; }));
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
    CHECK(eventually([&] { return all_gone(dir); }));
  }
}
