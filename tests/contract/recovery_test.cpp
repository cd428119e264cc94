#include "support/catch.hpp"
#include "support/program.hpp"

#include "contract/place.hpp"
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

using namespace troupe;
using namespace troupe::test;
using nlohmann::json;

namespace {

constexpr auto calls = 20;

// Under a sanitizer a run takes ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr auto wanted = 10;
#else
constexpr auto wanted = 100;
#endif

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

/// How long a run takes that nobody kills.
std::chrono::microseconds length_of_a_run() {
  auto where = place{exchanges()};
  auto begin = std::chrono::steady_clock::now();
  REQUIRE(where.run({"run", "guide.yaml", "go"}).code == 0);
  return std::chrono::duration_cast<std::chrono::microseconds>(
    std::chrono::steady_clock::now() - begin);
}

/// Kills programs at random moments of their lives.
class killer {
public:
  killer(const place& where, std::chrono::microseconds length)
    : where_(where),
      moment_(length.count() / 20, length.count()) {
    // nop
  }

  void run(std::vector<std::string> arguments) {
    auto spec = program::spec{};
    spec.folder = where_.folder().path();
    spec.arguments = std::move(arguments);
    program one{spec};
    std::this_thread::sleep_for(std::chrono::microseconds{moment_(random_)});
    one.signal(SIGKILL);
    one.wait();
  }

private:
  const place& where_;
  std::mt19937 random_{std::random_device{}()};
  std::uniform_int_distribution<int64_t> moment_;
};

json runs_of(const place& where) {
  auto listed = where.run({"runs", "list", "--json"});
  return listed.out.empty() ? json::array() : json::parse(listed.out);
}

/// Resumes the run, killed again and again, until it has completed; its object,
/// or null where the first process died before there was a run.
json complete(const place& where, killer& kill) {
  for (auto attempt = 0;; ++attempt) {
    where.run({"runs", "reconcile"});
    auto runs = runs_of(where);
    if (runs.empty())
      return nullptr;
    REQUIRE(runs.size() == 1);
    if (runs[0]["status"] == "completed")
      return runs[0];
    REQUIRE(runs[0]["status"] == "interrupted");
    auto id = runs[0]["run_id"].get<std::string>();
    if (attempt < 3)
      kill.run({"runs", "resume", id});
    else
      REQUIRE(where.run({"runs", "resume", id}).code == 0);
  }
}

std::map<std::string, int> lines_of_log(const place& where) {
  auto result = std::map<std::string, int>{};
  auto in = std::istringstream{where.folder().read("log")};
  auto line = std::string{};
  while (std::getline(in, line))
    ++result[line];
  return result;
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
  auto length = length_of_a_run();
  for (auto round = 0; completed < wanted && round < 10 * wanted; ++round) {
    place place{exchanges()};
    killer kill{place, length};
    kill.run({"run", "guide.yaml", "go"});
    auto run = complete(place, kill);
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
  CHECK(completed == wanted);
}
