#include "troupe/config/show_settings.hpp"

#include "support/catch.hpp"

#include <sstream>

using namespace troupe;

namespace {

loaded_settings load(std::string_view text, const environment_map& env = {}) {
  auto result = parse_settings(text, "t.yaml", env);
  REQUIRE(result);
  return std::move(*result);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Without comments, so that places do not count.
std::string values_of(const loaded_settings& x) {
  auto lines = std::istringstream{show_settings(x)};
  auto result = std::string{};
  for (auto line = std::string{}; std::getline(lines, line);)
    result += line.substr(0, line.rfind("# ")) + '\n';
  return result;
}

} // namespace

TEST_CASE("each value is shown with its source", "[show_settings]") {
  auto x = load("version: 1\nlimits: {max_turns: 7}\n"
                "sandbox: {network: {mode: none}}\n",
                {{"TROUPE_PERMISSIONS_MODE", "ask"}});
  auto text = show_settings(x);
  auto line = [&](std::string_view key) {
    auto begin = text.find(key);
    REQUIRE(begin != std::string::npos);
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  auto padded = [](std::string a, size_t width, const std::string& b) {
    a.resize(width, ' ');
    return a + b;
  };
  CHECK(line("max_turns") == padded("max_turns: 7", 46, "# t.yaml:2:21"));
  CHECK(line("max_tool_calls")
        == padded("max_tool_calls: 200", 46, "# default"));
  CHECK(line("mode: ask")
        == padded("mode: ask", 46, "# environment TROUPE_PERMISSIONS_MODE"));
  CHECK(line("network: none") == padded("network: none", 46, "# t.yaml:3:27"));
}

TEST_CASE("what is shown reads back as the same settings", "[show_settings]") {
  auto x = load(R"(version: 1
providers: {a: {adapter: ollama, timeouts: {idle: 1500ms}}}
models: {m: {target: "a:x", settings: {stop: ["$${x}", "#", ": "], "1": true}}}
default_model: m
storage: memory
workspace: {root: /w}
sandbox:
  network: {mode: allowlist, allow: ["*.example.com:443"]}
  environment: {set: {A: "two\nlines", B: "'\"", C: "null", D: " x "}}
  container: {image: "a:1", binds: {/a b: /c}, cpus: 0.5, env: {"1": x}}
  files: {root: read_only, other: read_write}
permissions: {mode: auto, ask_when: {write: ["a/**"]}}
agents: {g: /a/g.yaml}
)");
  auto again = load(show_settings(x));
  CHECK(values_of(again) == values_of(x));
  CHECK(again.settings.sandbox.environment.at("A") == "two\nlines");
  CHECK(again.settings.models.at("m").settings_json
        == R"({"stop":["${x}","#",": "],"1":true})");
}

TEST_CASE("no secret is shown in any form", "[show_settings]") {
  auto x
    = load(R"(version: 1
providers:
  a: {api_key: "plain-api-key"}
  b: {base_url: "https://user:url-password@host/v1?api_key=query-key&q=1"}
  c: {base_url: "https://host/${PATH_TOKEN}/v1"}
models:
  m: {target: "a:x", settings: {headers: {X-Api-Key: json-key}, user: "${MY_SECRET}", max_tokens: 5}}
sandbox:
  environment: {set: {DB_PASSWORD: env-password, LANG: C}}
  container: {image: i, env: {GITHUB_TOKEN: container-token}}
)",
           {{"PATH_TOKEN", "path-token"}, {"MY_SECRET", "my-secret-text"}});
  for (const auto& text : {show_settings(x), show_settings_json(x)}) {
    for (auto hidden :
         {"plain-api-key", "url-password", "query-key", "path-token",
          "json-key", "my-secret-text", "env-password", "container-token"}) {
      CAPTURE(hidden);
      CHECK_FALSE(has(text, hidden));
    }
    CHECK(has(text, "https://***@host/v1?api_key=***&q=1"));
    CHECK(has(text, "https://host/***/v1"));
    CHECK(has(text, "max_tokens"));
  }
}

TEST_CASE("an empty key is shown as empty", "[show_settings]") {
  auto text = show_settings(load("version: 1\nproviders: {a: {}}\n"));
  CHECK(has(text, "api_key: \"\""));
}

TEST_CASE("the JSON form holds values, sources and files", "[show_settings]") {
  auto text = show_settings_json(load("version: 1\nlimits: {deadline: 90s}\n"));
  CHECK(text.starts_with("{\"version\":1,\"providers\":{}"));
  CHECK(has(text, R"("deadline":"90s")"));
  CHECK(has(text, R"("sources":{"limits.deadline":"t.yaml:2:20"})"));
  CHECK(has(text, R"("files":[])"));
}

TEST_CASE("settings that were built in C++ are shown too", "[show_settings]") {
  auto x = loaded_settings{};
  x.settings.models["m"] = {"a:\xff", {}, "not json"};
  auto text = show_settings(x);
  CHECK(has(text, "target: \"a:\xef\xbf\xbd\""));
  CHECK(has(text, "settings: {}"));
}
