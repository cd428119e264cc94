#include "support/catch.hpp"

#include "contract/killer.hpp"

#include <filesystem>
#include <map>

using namespace troupe;
using namespace troupe::test;
using nlohmann::json;

namespace {

constexpr auto calls = 20;

std::string exchanges() {
  auto result = std::string{};
  for (auto i = 0; i < calls; ++i) {
    auto n = std::to_string(i);
    result += "  - reply: {tool_calls: [{id: c" + n
              + ", name: shell, arguments: {command: \"echo line" + n
              + " >> log\"}}]}\n";
  }
  return result + "  - reply: {text: \"Done.\"}\n";
}

/// Every settled call happened once, a lost one at most once; the log has no
/// gaps, and the history all results.
void check(const place& where, const json& run) {
  auto lines = lines_of_log(where);
  auto id = run["run_id"].get<std::string>();
  auto results = std::map<std::string, int>{};
  auto seq = 0;
  for (const auto& event :
       test::lines_of(where.run({"runs", "logs", id, "--json"}).out)) {
    CHECK(event["seq"] == ++seq);
    if (event["type"] != "tool_result")
      continue;
    auto call = event["data"]["id"].get<std::string>();
    ++results[call];
    auto times = lines["line" + call.substr(1)];
    CHECK(times <= 1);
    if (!event["data"]["error"])
      CHECK(times == 1);
  }
  CHECK(results.size() == calls);
  for (const auto& [call, times] : results)
    CHECK(times == 1);
  auto session = run["session_id"].get<std::string>();
  auto shown
    = json::parse(where.run({"sessions", "show", session, "--json"}).out);
  CHECK(shown["messages"].size() == 2 * calls + 2);
}

} // namespace

TEST_CASE("a run that is killed again and again settles each call once",
          "[recovery]") {
  auto completed = 0;
  auto length = length_of_a_run(place{exchanges()}, "guide.yaml");
  for (auto round = 0; completed < wanted_kills && round < 10 * wanted_kills;
       ++round) {
    place place{exchanges()};
    killer kill{place, length};
    kill.run({"run", "guide.yaml", "go"});
    auto run = complete_killed(place, kill);
    if (run.is_null())
      continue;
    ++completed;
    check(place, run);
    // Nothing is left but what the run made, and its store.
    for (const auto& entry :
         std::filesystem::directory_iterator{place.folder().path()}) {
      auto name = entry.path().filename().string();
      auto known = name == ".troupe" || name == "log" || name == "notes.txt"
                   || name == "guide.yaml" || name == "model.yaml"
                   || name.starts_with("out") || name.starts_with("err");
      CHECK(known);
    }
  }
  CHECK(completed == wanted_kills);
}
