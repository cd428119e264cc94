#include "troupe/config/load_settings.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "config/settings_cases.hpp"

#include <filesystem>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("without any file, settings are the defaults", "[load_settings]") {
  auto x = folders{}.load();
  CHECK(x.settings.limits.max_turns == 25);
  CHECK(x.settings.permissions.mode == permission_mode::read_only);
  CHECK(x.settings.sandbox.provider == "virtual");
  CHECK(x.settings.storage.path == ".troupe");
  CHECK(x.files.empty());
  CHECK(x.sources.empty());
}

TEST_CASE("every section of a file is read", "[load_settings]") {
  auto x = parse(R"(version: 1
providers:
  primary:
    adapter: openai
    base_url: https://host/v1
    api_key: ${OPENAI_API_KEY}
    timeouts: {connect: 1s, first_byte: 2s, idle: 3s, total: 4s}
    retry: {attempts: 2, base: 10ms, max: 20ms}
    max_in_flight: 3
models:
  support: {target: "primary:gpt-5", settings: {temperature: 0.2}}
default_model: support
storage: {path: /var/t, map_size: 1GiB, durability: relaxed}
workspace: {provider: temporary, root: /w, paths: {source: ./src}}
sandbox:
  provider: bubblewrap
  files: {root: read_only}
  runtime_paths: {home: read_write}
  root_filesystem: read_only
  environment: {inherit: true, set: {LANG: C.UTF-8, PORT: 80}}
  network: {mode: allowlist, allow: ["api.example.com:443"], private: true}
  limits: {wall: 1m, memory: 1MiB, list: 5}
  warm: false
  container: {image: "debian:12", memory: 1GiB, cpus: 1.5, user: null}
permissions:
  mode: ask
  allow: [read, glob]
  ask_when: {write: ["protected/**"]}
concurrency: {workers: 1, blocking_pool: 3, max_in_flight: 4, tool_calls: 5}
limits: {max_turns: 7, max_tool_calls: 9, deadline: 1h}
agents: {guide: /a/guide.yaml}
)",
                 {{"OPENAI_API_KEY", "sk-1"}});
  const auto& s = x.settings;
  const auto& p = s.providers.at("primary");
  CHECK(p.api_key.reveal() == "sk-1");
  CHECK(p.base_url == "https://host/v1");
  CHECK(p.timeouts.idle == caf::timespan{std::chrono::seconds{3}});
  CHECK(p.retry.attempts == 2);
  CHECK(p.max_in_flight == 3);
  CHECK(s.models.at("support").settings_json == R"({"temperature":0.2})");
  CHECK(s.storage.path == "/var/t");
  CHECK(s.storage.map_size == 1ull << 30);
  CHECK(s.storage.durability == durability::relaxed);
  CHECK(s.workspace.provider == "temporary");
  CHECK(s.workspace.paths.at("source") == "./src");
  CHECK(s.sandbox.provider == "bubblewrap");
  CHECK(s.sandbox.files.at("root") == file_access::read_only);
  CHECK(s.sandbox.inherit_environment);
  CHECK(s.sandbox.environment.at("PORT") == "80");
  CHECK(s.sandbox.network.mode == "allowlist");
  CHECK(s.sandbox.network.allow == texts{"api.example.com:443"});
  CHECK(s.sandbox.network.allow_private);
  CHECK(s.sandbox.limits.memory == 1u << 20);
  CHECK(s.sandbox.limits.open_files == 256);
  CHECK_FALSE(s.sandbox.warm);
  REQUIRE(s.sandbox.container);
  CHECK(s.sandbox.container->memory == uint64_t{1} << 30);
  CHECK(s.sandbox.container->cpus == 1.5);
  CHECK_FALSE(s.sandbox.container->user);
  CHECK(s.permissions.mode == permission_mode::ask);
  CHECK(s.permissions.allow == texts{"read", "glob"});
  CHECK(s.permissions.ask_when.at("write") == texts{"protected/**"});
  CHECK(s.concurrency.tool_calls == 5);
  CHECK(s.limits.deadline == caf::timespan{std::chrono::hours{1}});
  CHECK(s.agents.at("guide") == "/a/guide.yaml");
}

TEST_CASE("storage may be the word memory", "[load_settings]") {
  CHECK(parse("version: 1\nstorage: memory\n").settings.storage.in_memory);
  CHECK_FALSE(
    parse("version: 1\nstorage: {path: x}\n").settings.storage.in_memory);
  CHECK(faults_in("version: 1\nstorage: memry\n")
        == texts{"storage: expected one of memory, found `memry` (t.yaml:2:10) "
                 "did you mean `memory`?"});
}

TEST_CASE("a network may be one word", "[load_settings]") {
  CHECK(parse("version: 1\nsandbox: {network: inherit}\n")
          .settings.sandbox.network.mode
        == "inherit");
  CHECK(faults_in("version: 1\nsandbox: {network: allowlist}\n").size() == 1);
  CHECK(faults_in("version: 1\nsandbox: {network: {mode: none, allow: [a]}}\n")
        == texts{"sandbox.network.allow: counts in mode allowlist only "
                 "(t.yaml:2:40) write mode: allowlist beside it"});
}

TEST_CASE("the version of a file is 1, said or not", "[load_settings]") {
  auto wrong = [](std::string_view place) {
    return texts{"version: expected 1, the only version that is known (t.yaml:"
                 + std::string{place} + ')'};
  };
  CHECK(parse("limits: {max_turns: 3}\n").settings.limits.max_turns == 3);
  CHECK(parse("").settings.limits.max_turns == 25);
  CHECK(faults_in("version: 2\n") == wrong("1:10"));
  CHECK(faults_in("version: '1'\n") == wrong("1:10"));
  CHECK(faults_in("version: [1]\n") == wrong("1:10"));
  CHECK(faults_in("version:\n") == wrong("1:1"));
  CHECK(faults_in("[version, 1]\n")
        == texts{"expected a mapping, found a list (t.yaml:1:1)"});
}

TEST_CASE("all errors of a file come at once, in its order",
          "[load_settings]") {
  CHECK(
    faults_in("version: 1\n"
              "providers:\n"
              "  primary:\n"
              "    timeouts: {conect: 10s, idle: soon}\n"
              "    base_url: ftp://host\n"
              "limit: {max_turns: 5}\n"
              "concurrency: {tool_calls: 0}\n"
              "permissions: {mode: aks, allow: [reed]}\n"
              "sandbox: {files: {root: rw}}\n")
    == texts{
      "providers.primary.timeouts.conect: unknown key; allowed are connect, "
      "first_byte, idle, total (t.yaml:4:16) did you mean `connect`?",
      "providers.primary.timeouts.idle: expected a duration such as 250ms, "
      "30s, 10m or 1h, found `soon` (t.yaml:4:35)",
      "providers.primary.base_url: expected a URL that begins with http:// or "
      "https:// (t.yaml:5:15)",
      "limit: unknown key; allowed are providers, models, default_model, "
      "storage, workspace, sandbox, permissions, concurrency, limits, agents "
      "(t.yaml:6:1) did you mean `limits`?",
      "permissions.mode: expected one of read_only, auto, ask, approve, found "
      "`aks` (t.yaml:8:21) did you mean `ask`?",
      "permissions.allow[0]: expected one of read, glob, write, shell, fetch, "
      "search, found `reed` (t.yaml:8:34) did you mean `read`?",
      "sandbox.files.root: expected one of read_only, read_write, found `rw` "
      "(t.yaml:9:25)",
      "concurrency.tool_calls: must be at least 1 (t.yaml:7:27)"});
}

TEST_CASE("a zero that would wait forever is refused", "[load_settings]") {
  auto key = GENERATE(as<std::string>{}, "concurrency.max_in_flight",
                      "concurrency.blocking_pool", "concurrency.tool_calls",
                      "limits.max_turns", "sandbox.limits.processes",
                      "providers.p.max_in_flight",
                      "providers.p.retry.attempts");
  auto request = load_request{};
  request.files = config_files::named_only;
  request.overrides = {{key, "0", "--set"}};
  auto result = load_settings(request);
  REQUIRE_FALSE(result);
  CHECK(faults_of(result.error())
        == texts{key + ": must be at least 1 (flag --set)"});
}

TEST_CASE("a duration of nothing is refused where it would end everything",
          "[load_settings]") {
  CHECK(faults_in("version: 1\nlimits: {deadline: 0s}\n")
        == texts{"limits.deadline: must be longer than 0s (t.yaml:2:20)"});
  CHECK(parse("version: 1\nlimits: {max_tool_calls: 0}\n")
          .settings.limits.max_tool_calls
        == 0);
}

TEST_CASE("a target names a configured connection", "[load_settings]") {
  auto head = std::string{"version: 1\nproviders: {primary: {}}\n"};
  CHECK(parse(head + "default_model: primary:gpt-5\n").files.empty());
  CHECK(parse(head + "default_model: cassette:a.yaml\n").files.empty());
  CHECK(faults_in(head + "models: {a: {target: primry:x}}\n")
        == texts{"models.a.target: `primry:x` names the connection `primry`, "
                 "which `providers` does not have (t.yaml:3:22) did you mean "
                 "`primary`?"});
  CHECK(faults_in(head + "models: {a: {}}\n")
        == texts{"models.a.target: missing (t.yaml:3:13)"});
  CHECK(faults_in(head + "models: {a: {target: gpt-5}}\n").size() == 1);
  CHECK(faults_in(head
                  + "default_model: suport\n"
                    "models: {support: {target: primary:x}}\n")
        == texts{"default_model: `suport` is neither a role of `models` nor a "
                 "target (t.yaml:3:16) did you mean `support`?"});
}

TEST_CASE("the name cassette is that of cassettes", "[load_settings]") {
  CHECK(
    faults_in("version: 1\nproviders: {cassette: {adapter: openai}}\n").size()
    == 1);
  CHECK(parse("version: 1\nproviders: {cassette: {adapter: cassette}}\n")
          .settings.providers.size()
        == 1);
}

TEST_CASE("presets are openai with their own base URL", "[load_settings]") {
  auto x = parse("version: 1\nproviders:\n  a: {adapter: ollama}\n"
                 "  b: {adapter: vllm, base_url: http://gpu:9/v1}\n"
                 "  c: {adapter: anthropic}\n  d: {adapter: gemini}\n  e: {}\n")
             .settings.providers;
  CHECK(x["a"].adapter == "openai");
  CHECK(x["a"].preset == "ollama");
  CHECK(x["a"].base_url == "http://localhost:11434/v1");
  CHECK(x["b"].adapter == "openai");
  CHECK(x["b"].base_url == "http://gpu:9/v1");
  CHECK(x["c"].adapter == "anthropic");
  CHECK(x["d"].adapter == "gemini");
  CHECK(x["e"].adapter == "openai");
  CHECK(x["e"].base_url == "https://api.openai.com/v1");
  CHECK(faults_in("version: 1\nproviders: {a: {adapter: olama}}\n").size()
        == 1);
}

TEST_CASE("a container backend needs an image", "[load_settings]") {
  CHECK(faults_in("version: 1\nsandbox: {provider: container}\n").size() == 1);
  CHECK(parse("version: 1\nsandbox: {provider: container, "
              "container: {image: debian}}\n")
          .settings.sandbox.container->engine
        == "docker");
}
