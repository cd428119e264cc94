#include "troupe/storage/process_identity.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace troupe;

namespace {

// A child that says who it is and waits to be ended.
class child {
public:
  child() {
    auto ends = std::array<int, 2>{};
    REQUIRE(pipe(ends.data()) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      auto name = this_process();
      static_cast<void>(write(ends[1], name.data(), name.size()));
      for (;;)
        pause();
    }
    close(ends[1]);
    auto bytes = std::array<char, 200>{};
    auto count = read(ends[0], bytes.data(), bytes.size());
    close(ends[0]);
    REQUIRE(count > 0);
    name_.assign(bytes.data(), static_cast<size_t>(count));
  }

  child(const child&) = delete;
  child& operator=(const child&) = delete;

  ~child() {
    if (pid_ > 0)
      end();
  }

  const std::string& name() const {
    return name_;
  }

  // Ends it, and leaves it to be waited for.
  void kill_only() {
    kill(pid_, SIGKILL);
    auto info = siginfo_t{};
    REQUIRE(waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT)
            == 0);
  }

  void end() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

private:
  pid_t pid_ = -1;
  std::string name_;
};

std::vector<std::string> parts_of(const std::string& name) {
  auto result = std::vector<std::string>{""};
  for (auto byte : name)
    if (byte == '/')
      result.emplace_back();
    else
      result.back() += byte;
  return result;
}

std::string join(const std::vector<std::string>& parts) {
  auto result = parts.at(0);
  for (size_t i = 1; i < parts.size(); ++i)
    result += "/" + parts[i];
  return result;
}

} // namespace

TEST_CASE("a process has one name as long as it runs", "[storage]") {
  auto name = this_process();
  CHECK(name == this_process());
  CHECK(parts_of(name).size() == 4);
  CHECK(name.find('?') == std::string::npos);
  CHECK_FALSE(is_process_gone(name));
  CHECK_FALSE(is_process_gone(name + "/worker 7"));
}

TEST_CASE("a process that ended is gone", "[storage]") {
  child other;
  CHECK(other.name() != this_process());
  CHECK_FALSE(is_process_gone(other.name()));
  SECTION("when nobody waited for it yet") {
    other.kill_only();
  }
  SECTION("when all trace of it is gone") {
    other.end();
  }
  CHECK(is_process_gone(other.name()));
  CHECK(is_process_gone(other.name() + "/worker 7"));
}

TEST_CASE("a process that has the id of one that ended is another",
          "[storage]") {
  auto parts = parts_of(this_process());
  parts[3] = "1";
  CHECK(is_process_gone(join(parts)));
}

TEST_CASE("a process that cannot be judged from here is not gone",
          "[storage]") {
  auto name = this_process();
  {
    child other;
    name = other.name();
  }
  REQUIRE(is_process_gone(name));
  for (size_t part = 0; part < 3; ++part)
    for (auto text : {"?", "", "x", "4000000000000", "-1", "0", "1x"}) {
      auto parts = parts_of(name);
      parts[part] = text;
      CHECK_FALSE(is_process_gone(join(parts)));
    }
  for (auto text : {"", "/", "////", "host/1", "a/b/c/d/e"})
    CHECK_FALSE(is_process_gone(text));
  // One that runs is there, even where nobody knows since when.
  auto parts = parts_of(this_process());
  parts[3] = "?";
  CHECK_FALSE(is_process_gone(join(parts)));
  parts.pop_back();
  CHECK_FALSE(is_process_gone(join(parts)));
}
