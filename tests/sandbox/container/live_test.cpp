#include "sandbox/container/engine_support.hpp"
#include "sandbox/process_support.hpp"

#include <csignal>
#include <future>

#include <fcntl.h>
#include <unistd.h>

using namespace troupe;
using test::container_policy;
using test::find_live_engine;
using test::live_containers;

namespace {

std::string fault_of(const caf::expected<process_result>& x) {
  return x ? "no error" : to_fault(x.error()).message;
}

} // namespace

TEST_CASE("a command in a container gives its output and exact status",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  auto result = sut.run("echo out; echo err >&2; exit 7");
  INFO(fault_of(result));
  REQUIRE(result);
  CHECK(result->stdout_text == "out\n");
  CHECK(result->stderr_text == "err\n");
  CHECK(result->status == 7);
  CHECK(result->signal == 0);
  auto killed = sut.run("kill -9 $$");
  REQUIRE(killed);
  CHECK(killed->signal == SIGKILL);
  auto missing = sut.shell("");
  missing.argv = {"no-such-program"};
  auto refused = test::run(*sut.runner, missing);
  REQUIRE_FALSE(refused);
  CHECK(to_fault(refused.error()).kind == errc::tool);
}

TEST_CASE("a container shows the workspace, read-only where it is",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto policy = container_policy(*engine);
  policy.files["source"] = file_access::read_only;
  auto sut = live_containers{policy, {{"source", "src"}}};
  sut.dir.write("src/a.txt", "text");
  auto result = sut.run("pwd; echo $TROUPE_WORKSPACE_SOURCE; echo hi > new.txt;"
                        "cat src/a.txt; echo x > src/b.txt || echo refused;"
                        "echo $FROM_IMAGE; echo x > /etc/x || echo sealed;"
                        "echo x > $HOME/x && echo x > $TMPDIR/x && echo ok");
  INFO(fault_of(result));
  REQUIRE(result);
  CHECK(result->stdout_text
        == "/workspace\n/workspace/src\ntextrefused\nyes\nsealed\nok\n");
  CHECK(sut.dir.read("new.txt") == "hi\n");
}

TEST_CASE("a container has no network, capabilities or new privileges",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  auto result = sut.run("grep -E '^(Cap(Eff|Prm|Bnd)|NoNewPrivs)' "
                        "/proc/self/status | tr -d '\\t';"
                        "ls /sys/class/net");
  REQUIRE(result);
  CHECK(result->stdout_text
        == "CapPrm:0000000000000000\nCapEff:0000000000000000\n"
           "CapBnd:0000000000000000\nNoNewPrivs:1\nlo\n");
}

TEST_CASE("a container's commands are killed inside when time is over",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  auto spec = sut.shell("trap '' TERM; setsid sleep 54321 & sleep 54321");
  spec.wall = std::chrono::milliseconds{200};
  spec.grace = std::chrono::milliseconds{100};
  auto result = test::run(*sut.runner, spec);
  INFO(fault_of(result));
  REQUIRE(result);
  CHECK(result->timed_out);
  CHECK(result->limit == "wall");
  auto left = sut.run("ps | grep -c '[s]leep 54321'");
  REQUIRE(left);
  CHECK(left->stdout_text == "0\n");
}

TEST_CASE("a container takes input and gives output of any size",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  auto spec = sut.shell("cat");
  spec.stdin_text = std::string(3 << 20, 'x');
  spec.output = 4 << 20;
  auto result = test::run(*sut.runner, spec);
  REQUIRE(result);
  CHECK(result->stdout_text == spec.stdin_text);
  auto drained = test::run(*sut.runner, [&sut] {
    auto x = sut.shell("head -c 5000000 /dev/zero; echo end >&2");
    x.output = 1000;
    return x;
  }());
  REQUIRE(drained);
  CHECK(drained->truncated);
  CHECK(drained->stdout_text.size() == 1000);
  CHECK(drained->stderr_text == "end\n");
  // A command that does not read what it is given ends all the same.
  auto unread = sut.shell("exit 3");
  unread.stdin_text = spec.stdin_text;
  auto ended = test::run(*sut.runner, unread);
  REQUIRE(ended);
  CHECK(ended->status == 3);
}

TEST_CASE("a container names the limits that ended a command", "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto policy = container_policy(*engine);
  policy.limits.memory = 48ull << 20;
  policy.limits.tmp = 8ull << 20;
  policy.limits.file = 4ull << 20;
  policy.limits.processes = 16;
  auto sut = live_containers{policy};
  auto file = sut.run("exec dd if=/dev/zero of=$TMPDIR/f bs=1M count=6");
  REQUIRE(file);
  CHECK(file->limit == "file");
  auto memory = sut.run("exec dd if=/dev/zero of=/dev/null bs=200M count=1");
  REQUIRE(memory);
  CHECK(memory->status != 0);
  CHECK(memory->limit == "memory");
  auto full = sut.run(
    "rm $TMPDIR/f; for i in 1 2 3; do dd if=/dev/zero of=$TMPDIR/$i bs=1M "
    "count=3 || echo full; done");
  REQUIRE(full);
  CHECK(full->stdout_text == "full\n");
}

TEST_CASE("a container is gone with its runner, and known by its labels",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  REQUIRE(sut.run("echo"));
  auto before
    = test::ask_engine(*engine, {"ps", "-q", "--filter", "label=troupe.owner"});
  CHECK_FALSE(before.empty());
  auto mine = sut.run("echo $HOSTNAME");
  REQUIRE(mine);
  auto id = mine->stdout_text.substr(0, 12);
  sut.runner = nullptr;
  CHECK(
    test::ask_engine(*engine, {"ps", "-aq", "--filter", "id=" + id}).empty());
}

TEST_CASE("a command cannot reach the relay of its container", "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  auto result = sut.run("for f in /proc/1/fd/0 /proc/1/fd/1 /proc/1/mem; do "
                        "(echo evil > $f) 2>&1; done | wc -l;"
                        "kill -9 1");
  REQUIRE(result);
  CHECK(result->stdout_text == "3\n");
  auto next = sut.run("echo still");
  REQUIRE(next);
  CHECK(next->stdout_text == "still\n");
}

TEST_CASE("a command that kills its warden ends with its container",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  auto result = sut.run("setsid sleep 43210 & echo $HOSTNAME > host;"
                        "kill -9 $PPID; sleep 1000");
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).kind == errc::sandbox);
  auto next = sut.run("cat host; echo $HOSTNAME; ps | grep -c '[s]leep 43210'");
  INFO(fault_of(next));
  REQUIRE(next);
  auto lines = next->stdout_text;
  CHECK(lines.ends_with("\n0\n"));
  CHECK(lines.substr(0, 12) != lines.substr(13, 12));
}

TEST_CASE("many commands share a container, and none waits for another",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  auto slow = std::promise<caf::expected<process_result>>{};
  auto id = sut.runner->start(sut.shell("yes; sleep 1000"), [&slow](auto x) {
    slow.set_value(std::move(x));
  });
  for (auto i = 0; i < 5; ++i) {
    auto result = sut.run("echo " + std::to_string(i));
    REQUIRE(result);
    CHECK(result->stdout_text == std::to_string(i) + "\n");
  }
  sut.runner->terminate(id);
  auto ended = slow.get_future().get();
  REQUIRE(ended);
  CHECK(ended->signal == SIGTERM);
}

TEST_CASE("a container carries what a command is lent", "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  sut.dir.write("in.txt", std::string(500'000, 'i'));
  auto file = [&sut](const char* name, int flags) {
    return std::make_shared<unique_fd>(
      ::open((sut.dir.path() / name).c_str(), flags | O_CLOEXEC, 0600));
  };
  auto spec = sut.shell("cat; echo e >&2");
  spec.stdio.input = file("in.txt", O_RDONLY);
  spec.stdio.output = file("out.txt", O_WRONLY | O_CREAT);
  spec.stdio.errors = file("err.txt", O_WRONLY | O_CREAT);
  auto result = test::run(*sut.runner, spec);
  REQUIRE(result);
  CHECK(sut.dir.read("out.txt") == sut.dir.read("in.txt"));
  CHECK(sut.dir.read("err.txt") == "e\n");
}

TEST_CASE("a reader that reads nothing does not hide a command's end",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  int fds[2] = {-1, -1};
  REQUIRE(::pipe2(fds, O_CLOEXEC) == 0);
  auto reader = unique_fd{fds[0]};
  auto spec = sut.shell("head -c 150000 /dev/zero; exit 4");
  spec.stdio.output = std::make_shared<unique_fd>(fds[1]);
  auto result = test::run(*sut.runner, spec);
  spec.stdio.output = nullptr;
  REQUIRE(result);
  CHECK(result->status == 4);
  // And nothing is lost to one that reads later.
  auto total = size_t{0};
  auto buffer = std::string(65536, '\0');
  for (auto count = ssize_t{1}; count > 0; total += static_cast<size_t>(count))
    count = ::read(reader.get(), buffer.data(), buffer.size());
  CHECK(total == 150'000);
}

TEST_CASE("containers refuse what they cannot do", "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  auto terminal = sut.shell("echo");
  terminal.stdio.terminal = true;
  CHECK_FALSE(test::run(*sut.runner, terminal));
  auto alone = sut.shell("echo");
  alone.can_spawn = false;
  CHECK_FALSE(test::run(*sut.runner, alone));
}
