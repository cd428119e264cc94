// Runs the other tests of this program once more, as an ordinary user: both are
// deployments that exist, and the kernel treats them differently.

#include "support/catch.hpp"

#include <grp.h>

#include <array>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

TEST_CASE("what holds for root holds for an ordinary user", "[as_user]") {
  if (::getuid() != 0) {
    SUCCEED("this is one");
    return;
  }
  constexpr auto user = 1000U;
  constexpr auto unreachable = 126;
  auto program = std::string{"/proc/self/exe"};
  char path[4096] = {};
  REQUIRE(::readlink(program.c_str(), path, sizeof path - 1) > 0);
  auto filter = std::string{"~[as_user]"};
  auto argv = std::array{path, filter.data(), static_cast<char*>(nullptr)};
  auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0
        && ::setresuid(user, user, user) == 0)
      ::execv(path, argv.data());
    ::_exit(unreachable);
  }
  auto status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == unreachable)
    WARN("skipped: an ordinary user cannot run " << path);
  else
    CHECK(status == 0);
}
