#pragma once

#include "support/catch.hpp"
#include "support/program.hpp"

#include "contract/place.hpp"
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::test {

// Under a sanitizer a run takes ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr auto wanted_kills = 10;
#else
inline constexpr auto wanted_kills = 100;
#endif

/// How long a run takes that nobody kills.
inline std::chrono::microseconds length_of_a_run(const place& where,
                                                 const std::string& agent) {
  auto begin = std::chrono::steady_clock::now();
  REQUIRE(where.run({"run", agent, "go"}).code == 0);
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

inline nlohmann::json runs_of(const place& where) {
  auto listed = where.run({"runs", "list", "--json"});
  return listed.out.empty() ? nlohmann::json::array()
                            : nlohmann::json::parse(listed.out);
}

/// Resumes the run, killed again and again, until it has completed; its object,
/// or null where the first process died before there was a run.
inline nlohmann::json complete_killed(const place& where, killer& kill) {
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

inline std::map<std::string, int> lines_of_log(const place& where) {
  auto result = std::map<std::string, int>{};
  auto in = std::istringstream{where.folder().read("log")};
  auto line = std::string{};
  while (std::getline(in, line))
    ++result[line];
  return result;
}

} // namespace troupe::test
