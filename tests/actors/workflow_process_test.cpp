#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/settings.hpp"
#include "troupe/runtime/run/stored_log.hpp"
#include "troupe/storage/store.hpp"

#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace troupe;
using test::program;
using test::program_result;

namespace {

using counts = std::map<std::string, int>;

/// A folder with a store, in which `workflow_peer` works.
class peer_place {
public:
  peer_place() {
    auto text = std::string{"cassette: 1\nexchanges:\n"};
    for (auto i = 1; i <= 4; ++i)
      text += "  - reply: {tool_calls: [{id: c" + std::to_string(i)
              + ", name: append_line, arguments: {text: \"" + std::to_string(i)
              + "\"}}]}\n";
    folder_.write("clerk.yaml", text + "  - reply: {text: appended}\n");
  }

  program::spec peer(std::vector<std::string> arguments) const {
    auto result = program::spec{};
    result.path = TROUPE_BINARY_DIR "/tests/workflow_peer";
    result.folder = folder_.path();
    result.arguments = {"store"};
    for (auto& one : arguments)
      result.arguments.push_back(std::move(one));
    return result;
  }

  program_result run(std::vector<std::string> arguments) const {
    return program{peer(std::move(arguments))}.wait();
  }

  /// Lines of effects, by how often each is there.
  counts effects() const {
    auto result = counts{};
    auto in = std::istringstream{folder_.read("effects")};
    auto line = std::string{};
    while (std::getline(in, line))
      ++result[line];
    return result;
  }

  std::unique_ptr<store> open() const {
    auto settings = storage_settings{};
    settings.path = (folder_.path() / "store").string();
    auto result = make_lmdb_store(settings);
    REQUIRE(result);
    return std::move(*result);
  }

private:
  test::temp_dir folder_;
};

/// The effects whose outcome is in the store, by how often they happened.
using settled_effects = counts;

/// The lines of calls that have their results, as `workflow_peer` writes them.
std::set<std::string> settled_calls(store& disk, const std::string& run_id) {
  auto events = read_events(disk, run_id, 0, 10'000);
  REQUIRE(events);
  auto calls = std::map<std::string, std::string>{};
  auto result = std::set<std::string>{};
  for (size_t i = 0; i < events->size(); ++i) {
    const auto& event = (*events)[i];
    CHECK(event.seq == i + 1); // no gaps
    if (event.type == event_type::tool_call)
      calls[event.session_id + event.call->id]
        = "call " + event.session_id + "/" + std::to_string(event.record) + "/"
          + event.call->id;
    if (event.type == event_type::tool_result)
      result.insert(calls.at(event.session_id + event.call->id));
  }
  return result;
}

settled_effects settled(const peer_place& place, const std::string& run_id) {
  auto disk = place.open();
  auto names = settled_calls(*disk, run_id);
  auto values = disk->load_values(run_id, "checkpoint/step");
  REQUIRE(values);
  for (const auto& value : *values)
    names.insert(value.name.substr(std::string{"checkpoint/"}.size()));
  auto all = place.effects();
  auto result = settled_effects{};
  for (const auto& name : names)
    result[name] = all[name];
  return result;
}

/// The run as it is stored; nothing when it was killed before anything was
/// done.
std::optional<run_head> find(const peer_place& place,
                             const std::string& run_id) {
  auto found = place.open()->find_run(run_id);
  REQUIRE(found);
  return *found;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Kills `peer` at some moment; gives the first line it wrote, which is the
/// run's id.
std::string kill_within(program& peer, std::chrono::microseconds least,
                        std::chrono::microseconds most, std::mt19937& random) {
  REQUIRE(peer.wait_for_output("\n"));
  auto span = std::uniform_int_distribution<int64_t>{0, most.count()};
  std::this_thread::sleep_for(least + std::chrono::microseconds{span(random)});
  peer.signal(SIGKILL);
  return first_line(peer.wait().out);
}

/// Starts the run and kills its processes until one has suspended it. Gives
/// its id, and adds what was settled at each kill.
std::string kill_until_suspended(const peer_place& place, std::mt19937& random,
                                 std::vector<settled_effects>& known) {
  using std::chrono::milliseconds;
  auto run_id = std::string{};
  auto done = size_t{0};
  auto in_vain = 0;
  for (auto leg = 0; leg < 90; ++leg) {
    program peer{place.peer({run_id.empty() ? "start" : run_id})};
    // A run that is killed again and again without progress is given up, so
    // one gets time where it had none, as on a busy machine.
    auto least = milliseconds{in_vain < 2 ? 0 : 1000};
    auto said = kill_within(peer, least, milliseconds{20 + 4 * leg}, random);
    auto head = find(place, run_id.empty() ? said : run_id);
    if (!head)
      continue;
    run_id = head->run_id;
    CHECK(said == run_id);
    known.push_back(settled(place, run_id));
    auto has_progress = known.back().size() > done;
    in_vain = has_progress ? 0 : in_vain + 1;
    done = known.back().size();
    if (head->status == run_status::suspended)
      return run_id;
    CHECK(head->status == run_status::running);
  }
  FAIL("the run does not come to its end");
  return run_id;
}

} // namespace

TEST_CASE("a workflow that is killed at random moments does nothing twice",
          "[workflow][slow]") {
  auto random = std::mt19937{Catch::rngSeed()};
  auto kills = size_t{0};
  for (auto round = 0; round < 30; ++round) {
    peer_place place;
    auto known = std::vector<settled_effects>{};
    auto run_id = kill_until_suspended(place, random, known);
    kills += known.size();

    // What was settled at any kill did not happen again.
    auto end = place.effects();
    for (const auto& then : known)
      for (const auto& [name, count] : then) {
        INFO(name);
        CHECK(count >= 1);
        CHECK(count == end[name]);
      }
    CHECK(end.size() == 20); // 12 steps, and 4 calls of each of two agents
    CHECK(settled(place, run_id).size() == 20);

    // Another process brings the word.
    auto done = place.run({run_id, R"("go")"});
    INFO(done.out << done.err);
    CHECK(done.out.find("completed \"go\" 78 appended appended")
          != std::string::npos);
    CHECK(place.effects() == end);
  }
  CHECK(kills > 60); // the last of each round hits what has suspended
}

TEST_CASE("a suspended workflow goes on in another process with its input",
          "[workflow]") {
  peer_place place;
  auto first = place.run({"start"});
  CHECK(first.out.find("suspended") != std::string::npos);
  auto id = first_line(first.out);
  auto effects = place.effects();
  CHECK(effects.size() == 20);
  CHECK(effects["step 12"] == 1);
  auto second = place.run({id, R"({"a":1})"});
  CHECK(second.out.find("completed {\"a\":1} 78") != std::string::npos);
  CHECK(place.effects() == effects);
  auto third = place.run({id});
  CHECK(third.out.find("is completed") != std::string::npos);
}
