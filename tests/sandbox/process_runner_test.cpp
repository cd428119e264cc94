#include "troupe/sandbox/process_runner.hpp"

#include "sandbox/process_support.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace troupe;
using test::make_runner;
using test::run;
using test::shell;

TEST_CASE("a command's output and status come back", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto result = run(*sut, shell("echo out; echo err >&2; exit 7", dir));
  REQUIRE(result);
  CHECK(result->stdout_text == "out\n");
  CHECK(result->stderr_text == "err\n");
  CHECK(result->status == 7);
  CHECK(result->signal == 0);
  CHECK_FALSE(result->timed_out);
  CHECK_FALSE(result->truncated);
  CHECK(result->limit.empty());
}

TEST_CASE("a signal is told from an exit status that looks like one",
          "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto killed = run(*sut, shell("kill -9 $$", dir));
  REQUIRE(killed);
  CHECK(killed->signal == SIGKILL);
  CHECK(killed->status == 128 + SIGKILL);
  auto exited = run(*sut, shell("exit 137", dir));
  REQUIRE(exited);
  CHECK(exited->signal == 0);
  CHECK(exited->status == 137);
}

TEST_CASE("a command gets its arguments, directory and environment, no more",
          "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  ::setenv("TROUPE_TEST_SECRET", "SECRET", 1);
  auto spec = shell("pwd -P; env; printf '%s|' \"$@\"", dir);
  spec.argv.insert(spec.argv.end(), {"sh", "", "a b", "c\nd", "é"});
  spec.environment["NAME"] = "some value=1\nmore";
  auto result = run(*sut, spec);
  ::unsetenv("TROUPE_TEST_SECRET");
  REQUIRE(result);
  auto real = std::filesystem::canonical(dir.path()).string();
  CHECK(result->stdout_text.starts_with(real + "\n"));
  CHECK(result->stdout_text.ends_with("|a b|c\nd|é|"));
  CHECK(result->stdout_text.find("NAME=some value=1\nmore")
        != std::string::npos);
  CHECK(result->stdout_text.find("SECRET") == std::string::npos);
}

TEST_CASE("a command is looked for on its own PATH", "[process]") {
  auto dir = test::temp_dir{};
  dir.write("bin/tool", "#!/bin/sh\necho found\n");
  ::chmod((dir.path() / "bin/tool").c_str(), 0755);
  auto sut = make_runner();
  auto spec = shell("", dir);
  spec.argv = {"tool"};
  CHECK_FALSE(run(*sut, spec));
  spec.environment["PATH"] = (dir.path() / "bin").string();
  auto result = run(*sut, spec);
  REQUIRE(result);
  CHECK(result->stdout_text == "found\n");
}

TEST_CASE("a command that cannot be started is explained", "[process]") {
  auto dir = test::temp_dir{};
  dir.write("plain", "no program");
  auto sut = make_runner();
  auto message = [&](process_spec spec) {
    auto result = run(*sut, std::move(spec));
    REQUIRE_FALSE(result);
    CHECK(to_fault(result.error()).kind == errc::tool);
    return to_fault(result.error()).message;
  };
  auto spec = shell("", dir);
  spec.argv = {"no-such-program"};
  CHECK(message(spec) == "\"no-such-program\": command not found");
  spec.argv = {"./plain"};
  CHECK(message(spec) == "\"./plain\" is not executable");
  spec.argv = {};
  CHECK(message(spec) == "there is no command to run");
  spec.argv = {std::string{"a\0b", 3}};
  CHECK(message(spec).find("NUL") != std::string::npos);
  spec.argv = {"/bin/sh", "-c", std::string(200 << 10, 'x')};
  CHECK(message(spec).find("cannot be run") != std::string::npos);
  spec.argv = {"/bin/sh", "-c", std::string(9 << 20, 'x')};
  CHECK(message(spec) == "the command is too long");
  spec = shell("true", dir);
  spec.directory += "/missing";
  CHECK(message(spec).find("cannot be entered") != std::string::npos);
}

TEST_CASE("a command has nothing to read unless it is given something",
          "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto spec = shell("cat; echo end", dir);
  CHECK(run(*sut, spec)->stdout_text == "end\n");
  spec.stdin_text = "given\n";
  CHECK(run(*sut, spec)->stdout_text == "given\nend\n");
}

TEST_CASE("more input than a pipe holds is no deadlock", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto spec = shell("cat", dir);
  spec.stdin_text = std::string(3 << 20, 'x');
  spec.output = 4 << 20;
  auto echoed = run(*sut, spec);
  REQUIRE(echoed);
  CHECK(echoed->stdout_text == spec.stdin_text);
  spec.argv = {"/bin/sh", "-c", "exec true"};
  CHECK(run(*sut, spec)->status == 0);
}

TEST_CASE("output is cut at its limit and the command runs on", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto spec = shell("head -c 3000000 /dev/zero; "
                    "head -c 3000000 /dev/zero >&2; exit 3",
                    dir);
  spec.output = 1000;
  auto result = run(*sut, spec);
  REQUIRE(result);
  CHECK(result->stdout_text == std::string(1000, '\0'));
  CHECK(result->stderr_text.size() == 1000);
  CHECK(result->truncated);
  CHECK(result->status == 3);
  CHECK(result->limit.empty());
}

TEST_CASE("output of exactly the limit is not cut", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto spec = shell("printf 12345", dir);
  spec.output = 5;
  auto result = run(*sut, spec);
  CHECK(result->stdout_text == "12345");
  CHECK_FALSE(result->truncated);
}

TEST_CASE("a command that takes too long is told to end", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto spec = shell("trap 'echo told; exit 0' TERM; echo ready; "
                    "while :; do sleep 0.01; done",
                    dir);
  spec.wall = std::chrono::milliseconds{300};
  spec.grace = std::chrono::seconds{100};
  auto result = caf::expected<process_result>{process_result{}};
  // A busy machine may not get to the trap in time.
  CHECK(test::eventually([&] {
    result = run(*sut, spec);
    return result && result->stdout_text == "ready\ntold\n";
  }));
  CHECK(result->timed_out);
  CHECK(result->limit == "wall");
  CHECK(result->status == 0);
}

TEST_CASE("a terminated command is gone and was not late", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto done = std::promise<caf::expected<process_result>>{};
  auto id = sut->start(shell("exec sleep 1000", dir),
                       [&](auto result) { done.set_value(std::move(result)); });
  sut->terminate(id);
  auto result = done.get_future().get();
  REQUIRE(result);
  CHECK(result->signal == SIGTERM);
  CHECK_FALSE(result->timed_out);
  sut->terminate(id);
  sut->terminate(12345);
}

TEST_CASE("a command gets three descriptors and default signals", "[process]") {
  auto dir = test::temp_dir{};
  // Not closed on exec, as a careless library leaves them.
  auto leaked = ::open("/dev/null", O_RDONLY);
  auto before = ::signal(SIGPIPE, SIG_IGN);
  auto sut = make_runner();
  auto result = run(*sut, shell("ls /proc/self/fd | tr '\\n' ' '; "
                                "grep -E 'SigBlk|SigIgn' /proc/self/status",
                                dir));
  ::signal(SIGPIPE, before);
  ::close(leaked);
  REQUIRE(result);
  // ls itself opens the fourth.
  CHECK(result->stdout_text
        == "0 1 2 3 SigBlk:\t0000000000000000\n"
           "SigIgn:\t0000000000000000\n");
}

TEST_CASE("many commands run at once", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto results = std::vector<std::promise<std::string>>(40);
  for (auto i = size_t{0}; i < results.size(); ++i)
    sut->start(shell("echo " + std::to_string(i), dir), [&, i](auto result) {
      results[i].set_value(result ? result->stdout_text : "failed");
    });
  for (auto i = size_t{0}; i < results.size(); ++i)
    CHECK(results[i].get_future().get() == std::to_string(i) + "\n");
}

TEST_CASE("nothing stays open after commands", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto count = [] {
    auto entries = std::filesystem::directory_iterator{"/proc/self/fd"};
    return std::distance(begin(entries), end(entries));
  };
  auto spec = shell("cat", dir);
  spec.stdin_text = "x";
  run(*sut, spec);
  auto before = count();
  for (auto i = 0; i < 20; ++i) {
    run(*sut, spec);
    run(*sut, shell("sleep 100 & exit 1", dir));
  }
  CHECK(count() == before);
}

TEST_CASE("a runner may be dropped by the command that ends last",
          "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_runner();
  auto done = std::promise<void>{};
  auto* raw = sut.get();
  raw->start(shell("true", dir), [&done, sut = std::move(sut)](auto) mutable {
    sut.reset();
    done.set_value();
  });
  done.get_future().get();
}

TEST_CASE("a helper program that is missing is explained", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_host_runner(nullptr, (dir.path() / "none").string());
  REQUIRE(sut);
  auto result = run(**sut, shell("true", dir));
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).kind == errc::sandbox);
}

TEST_CASE("a helper program that is another one is an error", "[process]") {
  auto dir = test::temp_dir{};
  auto sut = make_host_runner(nullptr, "/bin/true");
  REQUIRE(sut);
  auto result = run(**sut, shell("true", dir));
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).kind == errc::sandbox);
}
