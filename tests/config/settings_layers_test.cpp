#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/load_settings.hpp"

#include "config/settings_cases.hpp"

#include <filesystem>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("layers merge key by key in the order of the contract",
          "[load_settings]") {
  auto x = folders{};
  auto limits = [](int turns, int calls, std::string_view rest) {
    return "version: 1\nlimits: {max_turns: " + std::to_string(turns)
           + ", max_tool_calls: " + std::to_string(calls) + "}\n"
           + std::string{rest};
  };
  x.request.environment["TROUPE_LIMITS_MAX_TURNS"] = "1";
  x.request.environment["TROUPE_STORAGE_DURABILITY"] = "relaxed";
  CHECK(x.load().settings.limits.max_turns == 1);

  auto user = x.dir.write("home/.config/troupe/troupe.yaml",
                          limits(2, 20, "concurrency: {tool_calls: 2}\n"));
  CHECK(x.load().settings.limits.max_turns == 2);

  auto local = x.dir.write("work/troupe.yaml",
                           limits(3, 30, "concurrency: {}\n"));
  CHECK(x.load().settings.limits.max_turns == 3);

  x.request.config_file = x.dir.write("named.yaml",
                                      "version: 1\nlimits: {max_turns: 4}\n");
  CHECK(x.load().settings.limits.max_turns == 4);

  x.request.overrides = {{"limits.max_turns", "5", "--set"},
                         {"limits.max_turns", "6", "--set"}};
  auto all = x.load();
  CHECK(all.settings.limits.max_turns == 6);
  CHECK(all.settings.limits.max_tool_calls == 30);
  CHECK(all.settings.concurrency.tool_calls == 2);
  CHECK(all.settings.storage.durability == durability::relaxed);
  CHECK(all.files == texts{x.request.config_file, local, user});
  CHECK(all.sources
        == std::map<std::string, std::string>{
          {"limits.max_turns", "flag --set"},
          {"limits.max_tool_calls", local + ":2:40"},
          {"concurrency.tool_calls", user + ":3:27"},
          {"storage.durability", "environment TROUPE_STORAGE_DURABILITY"}});
}

TEST_CASE("providers of several files merge by name", "[load_settings]") {
  auto x = folders{};
  x.dir.write("work/troupe.yaml",
              "version: 1\nproviders:\n  a: {max_in_flight: 9}\n  c: {}\n");
  x.request.config_file
    = x.dir.write("named.yaml",
                  "version: 1\nproviders:\n  a: {base_url: http://x/v1}\n"
                  "  b: {}\n");
  auto providers = x.load().settings.providers;
  CHECK(providers.size() == 3);
  CHECK(providers["a"].max_in_flight == 9);
  CHECK(providers["a"].base_url == "http://x/v1");
}

TEST_CASE("a weaker value that is replaced is not looked at",
          "[load_settings]") {
  auto x = folders{};
  x.dir.write("work/troupe.yaml",
              "version: 1\nproviders: {a: {api_key: \"${NONE}\"}}\n"
              "storage: {path: x}\n");
  x.request.overrides = {{"providers.a.api_key", "k", "--set"},
                         {"storage", "memory", "--store"}};
  auto loaded = x.load();
  CHECK(loaded.settings.providers.at("a").api_key.reveal() == "k");
  CHECK(loaded.settings.storage.in_memory);
}

TEST_CASE("a section without keys changes nothing", "[load_settings]") {
  auto x = folders{};
  x.dir.write("work/troupe.yaml", "version: 1\nlimits: {max_turns: 3}\n");
  x.request.config_file = x.dir.write("named.yaml",
                                      "version: 1\nlimits:\n#  max_turns: 4\n");
  CHECK(x.load().settings.limits.max_turns == 3);
}

TEST_CASE("the file of --config must exist", "[load_settings]") {
  auto x = folders{};
  x.request.config_file = x.path("none.yaml");
  auto result = load_settings(x.request);
  REQUIRE_FALSE(result);
  CHECK(faults_of(result.error())
        == texts{"no such file (" + x.request.config_file + ')'});
}

TEST_CASE("errors of all files come at once", "[load_settings]") {
  auto x = folders{};
  x.dir.write("work/troupe.yaml", "version: 1\nlimit: {}\n");
  x.request.config_file = x.dir.write("named.yaml", "version: [\n");
  auto result = load_settings(x.request);
  REQUIRE_FALSE(result);
  CHECK(faults_of(result.error()).size() == 2);
}

TEST_CASE("a file that is named and found is read once", "[load_settings]") {
  auto x = folders{};
  x.request.config_file = x.dir.write("work/troupe.yaml", "version: 1\n");
  CHECK(x.load().files == texts{x.request.config_file});
}

TEST_CASE("only the named file counts when asked so", "[load_settings]") {
  auto x = folders{};
  x.dir.write("work/troupe.yaml", "version: 1\nlimits: {max_turns: 3}\n");
  x.request.files = config_files::named_only;
  CHECK(x.load().settings.limits.max_turns == 25);
}

TEST_CASE("XDG_CONFIG_HOME replaces ~/.config unless it is relative",
          "[load_settings]") {
  auto x = folders{};
  x.dir.write("home/.config/troupe/troupe.yaml",
              "version: 1\nlimits: {max_turns: 3}\n");
  x.dir.write("xdg/troupe/troupe.yaml", "version: 1\nlimits: {max_turns: 4}\n");
  x.request.environment["XDG_CONFIG_HOME"] = "relative";
  CHECK(x.load().settings.limits.max_turns == 3);
  x.request.environment["XDG_CONFIG_HOME"] = x.path("xdg");
  CHECK(x.load().settings.limits.max_turns == 4);
}

TEST_CASE("paths count from the folder of the layer that names them",
          "[load_settings]") {
  auto x = folders{};
  x.dir.write("work/troupe.yaml",
              "version: 1\nworkspace: {root: .}\n"
              "agents: {a: agents/a.yaml, b: /abs/b.yaml}\n"
              "sandbox: {workspace: {root: ../box}}\n"
              "models: {m: {target: \"cassette:c.yaml\"}}\n");
  x.dir.write("home/.config/troupe/troupe.yaml",
              "version: 1\nstorage: {path: store}\n"
              "default_model: cassette:d.yaml\n");
  auto s = x.load().settings;
  CHECK(s.workspace.root == x.path("work"));
  CHECK(s.agents.at("a") == x.path("work/agents/a.yaml"));
  CHECK(s.agents.at("b") == "/abs/b.yaml");
  CHECK(s.sandbox.workspace->root == x.path("box"));
  CHECK(s.storage.path == x.path("home/.config/troupe/store"));
  CHECK(s.models.at("m").target == "cassette:c.yaml");
  CHECK(s.models.at("m").folder == x.path("work"));
  CHECK(s.default_model_folder == x.path("home/.config/troupe"));

  x.request.overrides = {{"storage.path", "here", "--store"}};
  CHECK(x.load().settings.storage.path == x.path("work/here"));
}

TEST_CASE("an override may be a list or a mapping", "[load_settings]") {
  auto x = folders{};
  x.request.overrides = {{"permissions.allow", "[read, glob]", "--set"},
                         {"limits", "{max_turns: 2}", "--set"}};
  auto s = x.load().settings;
  CHECK(s.permissions.allow == texts{"read", "glob"});
  CHECK(s.limits.max_turns == 2);
}

TEST_CASE("a bad override names its flag", "[load_settings]") {
  auto x = load_request{};
  x.files = config_files::named_only;
  x.overrides = {{"limits.max_turn", "2", "--set"},
                 {"limits.deadline", "soon", "--deadline"},
                 {"a..b", "1", "--set"},
                 {"agents", "[", "--set"}};
  auto result = load_settings(x);
  REQUIRE_FALSE(result);
  auto faults = faults_of(result.error());
  REQUIRE(faults.size() == 4);
  CHECK(faults[0].find("(flag --set:1:") != std::string::npos);
  CHECK(faults[1]
        == "limits.deadline: expected a duration such as 250ms, 30s, 10m or "
           "1h, found `soon` (flag --deadline)");
  CHECK(faults[2] == "`a..b` is not a key path (flag --set)");
  CHECK(faults[3]
        == "limits.max_turn: unknown key; allowed are max_turns, "
           "max_tool_calls, deadline, max_tokens, max_depth (flag --set) did "
           "you mean `max_turns`?");
}

TEST_CASE("an override is taken as it is", "[load_settings]") {
  auto x = folders{};
  x.request.overrides = {{"providers.a.api_key", "${HOME}", "--set"}};
  CHECK(x.load().settings.providers.at("a").api_key.reveal() == "${HOME}");
}

TEST_CASE("a hostile key path neither crashes nor nests without end",
          "[load_settings]") {
  auto deep = std::string{"a"};
  for (int i = 0; i < 100'000; ++i)
    deep += ".a";
  for (const auto& path : {deep, std::string{}, std::string{"."},
                           std::string{"a."}, std::string(100'000, 'x')}) {
    auto x = load_request{};
    x.files = config_files::named_only;
    x.overrides = {{path, "1", "--set"}};
    CHECK_FALSE(load_settings(x));
  }
}

TEST_CASE("secrets are known wherever they came from", "[load_settings]") {
  auto x = parse("version: 1\nproviders:\n  a: {api_key: literal-key}\n"
                 "  b: {base_url: \"https://h/${MY_TOKEN}/v1\"}\n",
                 {{"MY_TOKEN", "token-value"},
                  {"TROUPE_PROVIDERS__A__API_KEY", "weaker-key"}});
  CHECK(x.secrets == std::set<std::string>{"literal-key", "token-value"});
}

TEST_CASE("no error shows a secret", "[load_settings]") {
  auto env = environment_map{{"MY_TOKEN", "token-value"},
                             {"TROUPE_PROVIDERS__B__API_KEY", "env-secret"}};
  auto faults
    = faults_in("version: 1\nproviders:\n  a: {api_key: [literal-key]}\n"
                "  b: {base_url: \"ftp://user:pass@host\"}\n"
                "default_model: ${MY_TOKEN}\n"
                "models: {m: {target: \"${MY_TOKEN}:x\"}}\n",
                env);
  CHECK(faults.size() == 4);
  for (const auto& text : faults)
    for (auto hidden : {"literal-key", "token-value", "env-secret", "pass@"})
      CHECK(text.find(hidden) == std::string::npos);
}

TEST_CASE("the examples load", "[load_settings]") {
  for (auto name : {"minimal.yaml", "full.yaml"}) {
    auto x = load_request{};
    x.files = config_files::named_only;
    x.config_file = std::string{TROUPE_SOURCE_DIR} + "/config/examples/" + name;
    x.environment["OPENAI_API_KEY"] = "sk-example";
    auto result = load_settings(x);
    CAPTURE(name, result ? texts{} : faults_of(result.error()));
    CHECK(result);
  }
}
