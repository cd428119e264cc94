// What of a policy does not go together.

#include "support/temp_dir.hpp"

#include "troupe/config/show_settings.hpp"

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
                 "runtime_paths (t.yaml:2:81) did you mean `database`?"});
  CHECK(faults_in(policy("provider: native, unix_sockets: [elsewhere]"))
        == texts{"sandbox.unix_sockets[0]: `elsewhere` is no path of files or "
                 "runtime_paths (t.yaml:2:43) add it to runtime_paths"});
  CHECK(faults_in(policy("provider: native, unix_sockets: root")).size() == 1);
}

TEST_CASE("Unix sockets are refused where nothing tells them apart",
          "[sandbox_policy]") {
  for (const auto* provider : {"virtual", "local", "seatbelt"})
    CHECK(faults_in(policy("provider: " + std::string{provider}
                           + ", unix_sockets: [root]"))
            .size()
          == 1);
  CHECK(faults_in(policy("provider: native, root_filesystem: read_only, "
                         "unix_sockets: [root]"))
        == texts{"sandbox.unix_sockets: every socket of the host would be in "
                 "reach (t.yaml:2:71) write root_filesystem: isolated"});
}

TEST_CASE("an external gateway is one host with a port", "[sandbox_policy]") {
  auto x = parse(policy("provider: native, network: {mode: external, "
                        "gateway: \"127.0.0.1:3128\"}"));
  CHECK(x.settings.sandbox.network.gateway == "127.0.0.1:3128");
  CHECK(faults_in(policy("provider: native, network: {mode: external}"))
        == texts{"sandbox.network.gateway: missing (t.yaml:2:45) write "
                 "HOST:PORT, for example 127.0.0.1:3128"});
  CHECK(faults_in(policy("provider: native, network: {mode: external, "
                         "gateway: \"*.test:80\"}"))
        == texts{"sandbox.network.gateway: `*.test:80` is more than one host "
                 "(t.yaml:2:64) write HOST:PORT, for example 127.0.0.1:3128"});
  CHECK(faults_in(policy("network: {gateway: \"a.test:80\"}"))
        == texts{"sandbox.network.gateway: counts in mode external only "
                 "(t.yaml:2:30) write mode: external beside it"});
  CHECK(faults_in(policy("provider: native, network: external")).size() == 1);
}

TEST_CASE("commands that nothing contains have no way out of their own",
          "[sandbox_policy]") {
  CHECK(faults_in(policy("provider: local, network: {mode: allowlist, allow: "
                         "[\"a.test:1\"]}"))
          .size()
        == 1);
  CHECK(faults_in(policy("provider: unrestricted, network: inherit")).empty());
}

TEST_CASE("a remote sandbox has a command or a URL", "[sandbox_policy]") {
  auto x = parse(policy("provider: remote, remote: {command: [server, -x]}"));
  CHECK(x.settings.sandbox.remote->command == texts{"server", "-x"});
  CHECK(faults_in(policy("provider: remote"))
        == texts{"sandbox.remote: missing (t.yaml:2:21) write command: "
                 "[PROGRAM] or url: http://HOST:PORT/"});
  for (const auto* odd :
       {"remote: {}", "remote: {command: [a], url: \"http://127.0.0.1:1/\"}",
        "remote: {command: [\"\"]}", "remote: {url: \"https://127.0.0.1/\"}",
        "remote: {command: [a], headers: {X-Key: v}}", "remote: {command: a}"})
    CHECK(faults_in(policy("provider: remote, " + std::string{odd})).size()
          == 1);
  CHECK(
    faults_in(policy("provider: remote, remote: {comand: [a]}"))
    == texts{"sandbox.remote.comand: unknown key; allowed are command, url, "
             "headers (t.yaml:2:38) did you mean `command`?"});
}

TEST_CASE("the headers of a remote sandbox are never shown",
          "[sandbox_policy]") {
  auto x = parse(policy("provider: remote, remote: {url: "
                        "\"http://127.0.0.1:1/\", headers: {X-Key: "
                        "very-hidden-value}}"));
  CHECK(x.settings.sandbox.remote->headers.at("X-Key").reveal()
        == "very-hidden-value");
  for (const auto& shown : {show_settings(x), show_settings_json(x)}) {
    CHECK(shown.find("very-hidden-value") == std::string::npos);
    CHECK(shown.find("X-Key") != std::string::npos);
  }
}
