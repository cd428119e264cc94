// What of a policy does not go together.

#include "support/temp_dir.hpp"

#include "config/settings_cases.hpp"

using namespace troupe;
using test::faults_in;
using test::parse;
using test::texts;

namespace {

std::string policy(const std::string& keys) {
  return "version: 1\nsandbox: {" + keys + "}\n";
}

} // namespace

TEST_CASE("Unix sockets lie in paths of the policy", "[sandbox_policy]") {
  auto x = parse(policy("provider: native, runtime_paths: {db: read_only}, "
                        "unix_sockets: [db, root]"));
  CHECK(x.settings.sandbox.unix_sockets == texts{"db", "root"});
  CHECK(faults_in(policy("provider: native, runtime_paths: {database: "
                         "read_only}, unix_sockets: [root, databse]"))
        == texts{"sandbox.unix_sockets[1]: `databse` is no path of files or "
                 "runtime_paths (t.yaml:2:92) did you mean `database`?"});
  CHECK(faults_in(policy("provider: native, unix_sockets: [elsewhere]"))
        == texts{"sandbox.unix_sockets[0]: `elsewhere` is no path of files or "
                 "runtime_paths (t.yaml:2:45) add it to runtime_paths"});
  CHECK(faults_in(policy("provider: native, unix_sockets: root")).size() == 1);
}

TEST_CASE("Unix sockets are refused where nothing tells them apart",
          "[sandbox_policy]") {
  for (const auto* provider : {"virtual", "local", "seatbelt", "remote"})
    CHECK(faults_in(policy("provider: " + std::string{provider}
                           + ", unix_sockets: [root]"))
            .size()
          == 1);
  CHECK(faults_in(policy("provider: native, root_filesystem: read_only, "
                         "unix_sockets: [root]"))
        == texts{"sandbox.unix_sockets: every socket of the host would be in "
                 "reach (t.yaml:2:74) write root_filesystem: isolated"});
}
