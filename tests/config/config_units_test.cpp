#include "support/catch.hpp"

#include "troupe/config/core_schema.hpp"
#include "troupe/config/environment_layer.hpp"
#include "troupe/config/layers.hpp"
#include "troupe/config/nearest_name.hpp"
#include "troupe/config/redact.hpp"
#include "troupe/config/resolve_model.hpp"
#include "troupe/config/setting_keys.hpp"
#include "troupe/config/text_file.hpp"
#include "troupe/config/validate_settings.hpp"

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

using namespace troupe;

TEST_CASE("nearest_name finds a slip and no more", "[nearest_name]") {
  auto known = std::vector<std::string>{"max_turns", "deadline", "model",
                                        "base_url"};
  CHECK(nearest_name("max_turn", known) == "max_turns");
  CHECK(nearest_name("max_tunrs", known) == "max_turns");
  CHECK(nearest_name("deadlin", known) == "deadline");
  CHECK(nearest_name("modle", known) == "model");
  CHECK(nearest_name("baseurl", known) == "base_url");
  CHECK_FALSE(nearest_name("zzz", known));
  CHECK_FALSE(nearest_name("", known));
  CHECK_FALSE(nearest_name(std::string(100'000, 'm'), known));
  CHECK_FALSE(nearest_name("model", {}));
}

TEST_CASE("looks_secret goes by the name", "[redact]") {
  for (auto name : {"api_key", "OPENAI_API_KEY", "Token", "x-secret",
                    "DB_PASSWORD", "GITHUB_TOKEN", "credentials", "apiKey"})
    CHECK(looks_secret(name));
  for (auto name : {"max_tokens", "LANG", "name", "", "base_url"})
    CHECK_FALSE(looks_secret(name));
}

TEST_CASE("redact masks each secret everywhere", "[redact]") {
  auto secrets = std::set<std::string>{"12345678", "short", "abcdefgh"};
  CHECK(redact("a 12345678 b 12345678abcdefgh short", secrets)
        == "a *** b ****** short");
}

TEST_CASE("mask_url masks user information and secret parameters", "[redact]") {
  CHECK(mask_url("https://u:p@h/a@b") == "https://***@h/a@b");
  CHECK(mask_url("https://u:p@q@h") == "https://***@h");
  CHECK(mask_url("https://h/?a=1&key=2&b=3#f")
        == "https://h/?a=1&key=***&b=3#f");
  CHECK(mask_url("https://h/?token=") == "https://h/?token=***");
  CHECK(mask_url("https://h/p") == "https://h/p");
  CHECK(mask_url("user:p@h") == "***@h");
  CHECK(mask_url("") == "");
}

TEST_CASE("resolve_core knows the types of the core schema", "[core_schema]") {
  auto is_text = [](std::string_view x) {
    return std::holds_alternative<std::string_view>(resolve_core(x));
  };
  CHECK(resolve_core("null") == core_value{nullptr});
  CHECK(resolve_core("~") == core_value{nullptr});
  CHECK(resolve_core("TRUE") == core_value{true});
  CHECK(resolve_core("0") == core_value{int64_t{0}});
  CHECK(resolve_core("+12") == core_value{int64_t{12}});
  CHECK(resolve_core("-9223372036854775808") == core_value{INT64_MIN});
  CHECK(resolve_core("9223372036854775808") == core_value{uint64_t{1} << 63});
  CHECK(resolve_core("18446744073709551616") == core_value{0x1p64});
  CHECK(resolve_core("-9223372036854775809") == core_value{-0x1p63});
  CHECK(resolve_core("0xff") == core_value{int64_t{255}});
  CHECK(resolve_core("0o10") == core_value{int64_t{8}});
  CHECK(resolve_core("-1.5e-3") == core_value{-1.5e-3});
  CHECK(resolve_core("1.") == core_value{1.0});
  CHECK(std::isinf(std::get<double>(resolve_core("-.inf"))));
  CHECK(std::isnan(std::get<double>(resolve_core(".nan"))));
  CHECK(std::isinf(std::get<double>(resolve_core("1e999"))));
  for (auto x : {"yes", "on", "0x", "0xg", "0b1", "1_000", "1e", ".", "-", "+",
                 "--1", "1.2.3", "inf", "nan", "tRue", "0x-1", " 1"})
    CHECK(is_text(x));
}

TEST_CASE("merge_over merges sections and replaces the rest", "[layers]") {
  auto parse = [](std::string_view text) {
    return *parse_yaml(text, {"t", {}, false});
  };
  auto lower = parse("{a: {x: 1, y: 2}, l: [1, 2], s: 1, n: {k: 1}}");
  merge_over(lower, parse("{a: {y: 3, z: 4}, l: [9], s: {t: 1}, n: null}"));
  auto places = places_of(lower);
  CHECK(find_member(*find_member(lower, "a"), "x")->text == "1");
  CHECK(find_member(*find_member(lower, "a"), "y")->text == "3");
  CHECK(find_member(lower, "l")->items.size() == 1);
  CHECK(find_member(lower, "s")->kind == yaml_kind::mapping);
  CHECK(places.count("n.k") == 1);
  CHECK(places.size() == 6);
}

TEST_CASE("a key has a place, or that of a neighbour", "[layers]") {
  auto places = std::map<std::string, std::string>{{"a.b", "1"},
                                                   {"a.c.d", "2"},
                                                   {"ab", "3"}};
  CHECK(place_of_key(places, "a.b") == "1");
  CHECK(place_of_key(places, "a.c") == "2");
  CHECK(place_of_key(places, "a.z.y") == "1");
  CHECK(place_of_key(places, "a") == "1");
  CHECK(place_of_key(places, "a.b[2]") == "1");
  CHECK(place_of_key(places, "x.y") == "default");
}

TEST_CASE("each single setting has one variable", "[environment_layer]") {
  auto names = std::set<std::string>{};
  for (const auto& [path, is_scalar] : setting_keys()) {
    if (!is_scalar || path.find('*') != std::string::npos)
      continue;
    auto name = std::string{"TROUPE_"};
    for (auto c : path)
      name += c == '.' ? '_' : static_cast<char>(std::toupper(c));
    CAPTURE(name);
    CHECK(names.insert(name).second);
    auto layer = layer_of({{name, "x"}}, {});
    CHECK(layer.warnings.empty());
    CHECK(places_of(layer.root)
          == std::map<std::string, std::string>{{path, "environment " + name}});
  }
  CHECK(names.count("TROUPE_DEFAULT_MODEL") == 1);
  CHECK(names.count("TROUPE_STORAGE_PATH") == 1);
  CHECK(names.count("TROUPE_LIMITS_MAX_TURNS") == 1);
  CHECK(names.count("TROUPE_PERMISSIONS_MODE") == 1);
}

TEST_CASE("two underscores reach names that the user chose",
          "[environment_layer]") {
  auto layer = layer_of({{"TROUPE_PROVIDERS__PRIMARY__API_KEY", "k"},
                         {"TROUPE_PROVIDERS__MY_OWN__TIMEOUTS__IDLE", "1s"},
                         {"TROUPE_LIMITS__MAX_TURNS", "2"},
                         {"TROUPE_AGENTS__GUIDE", "g.yaml"}},
                        "/f");
  CHECK(layer.warnings.empty());
  auto places = places_of(layer.root);
  CHECK(places.size() == 4);
  CHECK(places.count("providers.primary.api_key") == 1);
  CHECK(places.count("providers.my_own.timeouts.idle") == 1);
  CHECK(places.count("limits.max_turns") == 1);
  CHECK(find_member(*find_member(layer.root, "agents"), "guide")->source->folder
        == "/f");
}

TEST_CASE("a variable that sets nothing is a warning", "[environment_layer]") {
  auto layer = layer_of({{"TROUPE_LIMITS_MAX_TURN", "1"},
                         {"TROUPE_", "1"},
                         {"TROUPE_PERMISSIONS_ALLOW", "read"},
                         {"TROUPE_PROVIDERS____API_KEY", "x"},
                         {"TROUPE_STORAGE", "memory"},
                         {"TROUPE_STORAGE_PATH", "x"},
                         {"TROUPE_WORKSPACE_SOURCE", "/s"},
                         {"TROUPELIKE", "x"},
                         {"PATH", "x"}},
                        {});
  auto texts = std::vector<std::string>{};
  for (const auto& what : layer.warnings)
    texts.push_back(what.where + ": " + what.message);
  CHECK(texts
        == std::vector<std::string>{
          "environment TROUPE_: no setting has this name",
          "environment TROUPE_LIMITS_MAX_TURN: no setting has this name",
          "environment TROUPE_PERMISSIONS_ALLOW: no setting has this name",
          "environment TROUPE_PROVIDERS____API_KEY: no setting has this name",
          "environment TROUPE_STORAGE_PATH: another variable sets what is "
          "above storage.path"});
}

TEST_CASE("process_environment sees this process", "[environment_layer]") {
  CHECK(process_environment().count("PATH") == 1);
}

TEST_CASE("resolve_model follows roles and targets", "[resolve_model]") {
  auto s = settings{};
  s.providers["local"] = {};
  s.models["draft"] = {"local:llama3.1:8b", "/f", R"({"a":1})"};
  auto role = resolve_model(s, "draft");
  REQUIRE(role);
  CHECK(role->connection == "local");
  CHECK(role->model == "llama3.1:8b");
  CHECK(role->settings_json == R"({"a":1})");
  CHECK(role->folder == "/f");

  auto target = resolve_model(s, "cassette:a.yaml", "/agents");
  REQUIRE(target);
  CHECK(target->connection == "cassette");
  CHECK(target->model == "a.yaml");
  CHECK(target->folder == "/agents");
  CHECK(target->settings_json == "{}");

  CHECK_FALSE(resolve_model(s, {}));
  s.default_model = "draft";
  CHECK(resolve_model(s, {})->model == "llama3.1:8b");
  for (auto name : {"none", "none:x", ":x", "local:", ":"})
    CHECK_FALSE(resolve_model(s, name));
}

TEST_CASE("settings built in C++ are validated too", "[validate_settings]") {
  auto s = settings{};
  CHECK_FALSE(validate(s));
  s.limits.max_turns = 0;
  s.providers["a"].retry.base = std::chrono::hours{1};
  auto faults = to_faults(validate(s));
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].message
        == "providers.a.retry.base: is longer than retry.max, 30s");
  CHECK(faults[1].message == "limits.max_turns: must be at least 1");
}

TEST_CASE("an error holds every fault that was packed", "[errc]") {
  auto one = fault{};
  one.kind = errc::configuration;
  one.message = "m1";
  one.where = "w";
  one.hint = "h";
  one.status = 7;
  one.retryable = true;
  one.retry_after = caf::timespan{5};
  auto two = one;
  two.message = "m2";
  auto why = make_error({one, two});
  CHECK(why == errc::configuration);
  CHECK(to_fault(why).message == "m1");
  auto faults = to_faults(why);
  REQUIRE(faults.size() == 2);
  CHECK(faults[1].message == "m2");
  CHECK(faults[1].kind == errc::configuration);
  CHECK(faults[1].retry_after == caf::timespan{5});
  CHECK(to_faults(make_error(one)).size() == 1);
  CHECK(to_faults(caf::error{}).empty());
  CHECK(to_faults(caf::sec::request_timeout).size() == 1);
}

TEST_CASE("quote is short and printable", "[text_file]") {
  CHECK(quote("a") == "`a`");
  CHECK(quote("\x1b[31m\n\x7f") == "`\\x1b[31m\\x0a\\x7f`");
  auto cut = quote(std::string(200, 'x'));
  CHECK(cut.starts_with("`xxxx"));
  CHECK(cut.ends_with("x…`"));
  CHECK(cut.size() == 80 + std::string_view{"`…`"}.size());
  CHECK(quote("\xe2\x82\xac") == "`\xe2\x82\xac`");
}

TEST_CASE("the README has every key", "[setting_keys]") {
  auto in = std::ifstream{std::string{TROUPE_SOURCE_DIR} + "/config/README.md"};
  auto text = std::ostringstream{};
  text << in.rdbuf();
  auto keys = setting_keys();
  for (const auto& key : agent_keys())
    if (key.path.find('.') == std::string::npos)
      keys.push_back(key);
  for (const auto& key : keys) {
    CAPTURE(key.path);
    CHECK(text.str().find('`' + key.path + '`') != std::string::npos);
  }
}
