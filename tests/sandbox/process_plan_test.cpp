#include "troupe/sandbox/process_plan.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <filesystem>

using namespace troupe;
using environment = std::map<std::string, std::string>;

namespace {

struct scene {
  test::temp_dir dir;
  std::string root = std::filesystem::canonical(dir.path()).string();
  std::shared_ptr<workspace> where;
  sandbox_settings policy;

  scene() {
    auto opened = workspace::open(
      {"directory", ".", {{"my-data", "data"}, {"other", "other"}}}, root);
    REQUIRE(opened);
    where = *opened;
    policy.files["my-data"] = file_access::read_only;
  }

  caf::expected<process_spec> plan(const process_request& x,
                                   const environment& host = {}) const {
    return plan_process(x, *where, policy, host, containment::none);
  }
};

} // namespace

TEST_CASE("a command sees what was set and where its workspace is",
          "[process_plan]") {
  auto x = scene{};
  x.policy.environment = {{"LANG", "C.UTF-8"}};
  auto plan
    = x.plan({{"true"}, "", {}, ""},
             {{"PATH", "/bin"}, {"HOME", "/home/me"}, {"KEY", "SECRET"}});
  REQUIRE(plan);
  CHECK(plan->environment
        == environment{{"HOME", "/home/me"},
                       {"LANG", "C.UTF-8"},
                       {"PATH", "/bin"},
                       {"TMPDIR", "/tmp"},
                       {"TROUPE_WORKSPACE_MY_DATA", x.root + "/data"},
                       {"TROUPE_WORKSPACE_ROOT", x.root}});
  x.policy.inherit_environment = true;
  CHECK(
    x.plan({{"true"}, "", {}, ""}, {{"KEY", "SECRET"}})->environment.at("KEY")
    == "SECRET");
}

TEST_CASE("a command starts in a directory of the workspace",
          "[process_plan]") {
  auto x = scene{};
  x.dir.write("sub/file", "x");
  auto directory = [&](const std::string& path) {
    auto plan = x.plan({{"true"}, path, {}, ""});
    return plan ? plan->directory : to_fault(plan.error()).message;
  };
  CHECK(directory("") == x.root);
  CHECK(directory("./sub/") == x.root + "/sub");
  CHECK(directory("workspace://my-data") == x.root + "/data");
  CHECK(directory("none") == "\"none\" does not exist");
  CHECK(directory("sub/file")
        == "\"sub/file\" is not a directory, or leads through a file");
  CHECK(directory("..") == "\"..\" leaves the workspace");
  CHECK(directory("workspace://other")
        == "\"other\" is no workspace path of commands");
}

TEST_CASE("a request shortens the time of a sandbox, never lengthens it",
          "[process_plan]") {
  auto x = scene{};
  auto wall = [&](caf::timespan timeout) {
    return x.plan({{"true"}, "", timeout, ""})->wall;
  };
  CHECK(wall(caf::timespan{0}) == x.policy.limits.wall);
  CHECK(wall(std::chrono::seconds{1}) == std::chrono::seconds{1});
  CHECK(wall(std::chrono::hours{1}) == x.policy.limits.wall);
}
