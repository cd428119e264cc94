#include "support/catch.hpp"

#include "contract/place.hpp"
#include <nlohmann/json.hpp>

#include <csignal>
#include <map>
#include <utility>

using namespace troupe;
using nlohmann::json;
using test::place;

namespace {

constexpr auto interrupted = R"(
  - reply: {text: "Now. ", tool_calls: [{id: c1, name: shell, arguments: {command: "echo > started; sleep 1000"}}, {id: c2, name: grep, arguments: {pattern: two}}]}
  - {expect: {last_user: again}, reply: {text: "Back: {{tool.shell.error}}"}}
  - {expect: {last_user: more}, reply: {text: "Still here."}}
)";

json show(const place& place, const std::string& session) {
  auto shown = place.run({"sessions", "show", session, "--json"});
  REQUIRE(shown.code == 0);
  return json::parse(shown.out);
}

/// Whether each call has its one result before anything else follows.
bool is_valid(const json& session) {
  auto open = std::map<std::string, int>{};
  for (const auto& message : session["messages"]) {
    if (message["role"] != "tool" && !open.empty())
      return false;
    for (const auto& part : message["content"])
      if (part["type"] == "tool_call")
        ++open[part["id"]];
      else if (part["type"] == "tool_result" && open.erase(part["id"]) == 0)
        return false;
  }
  return open.empty();
}

test::program::spec command(const place& place,
                            std::vector<std::string> arguments) {
  auto result = test::program::spec{};
  result.arguments = std::move(arguments);
  result.folder = place.folder().path();
  return result;
}

void kill_in_mid_run(const place& place) {
  test::program running{
    command(place, {"run", "guide.yaml", "first", "--session", "s"})};
  REQUIRE(
    test::eventually([&] { return !place.folder().read("started").empty(); }));
  running.signal(SIGKILL);
  CHECK(running.wait().code == 128 + SIGKILL);
}

} // namespace

TEST_CASE("a killed run leaves a valid history, and the next one goes on",
          "[contract]") {
  place place{interrupted};
  kill_in_mid_run(place);
  auto left = show(place, "s");
  CHECK(is_valid(left));
  REQUIRE(left["messages"].size() >= 3);
  CHECK(left["messages"][0]["content"][0]["text"] == "first");

  auto next = place.run({"run", "guide.yaml", "again", "--session", "s"});
  CHECK(next.out.starts_with("Back: interrupted"));
  CHECK(next.code == 0);
  auto last = place.run({"run", "guide.yaml", "more", "--session", "s"});
  CHECK(last.out == "Still here.\n");
  CHECK(is_valid(show(place, "s")));
}

TEST_CASE("of two processes in one session the second waits for the first",
          "[contract]") {
  place place{R"(
  - reply: {text: one, tool_calls: [{id: c1, name: shell, arguments: {command: "echo > started; while [ ! -e go ]; do sleep 0.01; done"}}]}
  - reply: {text: two}
  - reply: {text: three}
)"};
  test::program slow{
    command(place, {"run", "guide.yaml", "slow", "--session", "s", "--json"})};
  REQUIRE(
    test::eventually([&] { return !place.folder().read("started").empty(); }));
  test::program quick{
    command(place, {"run", "guide.yaml", "quick", "--session", "s"})};
  auto other = place.run({"run", "guide.yaml", "other", "--session", "s",
                          "--deadline", "300ms", "--json"});
  CHECK(other.code == 3); // it waited in vain
  place.folder().write("go", "now");
  CHECK(slow.wait().code == 0);
  auto done = quick.wait();
  CHECK(done.code == 0);
  CHECK(done.out == "three\n");
  // Nothing got in between.
  auto history = show(place, "s");
  CHECK(is_valid(history));
  CHECK(history["messages"].size() == 6);
}

TEST_CASE("a program without standard streams does not write into its store",
          "[contract]") {
  place place{"  - reply: {text: hello}\n"};
  auto what = test::program::spec{};
  what.path = "/bin/sh";
  what.arguments = {"-c", "exec 0<&- 1>&- 2>&-; exec " TROUPE_BINARY_DIR
                          "/bin/troupe run guide.yaml hi --session s"};
  what.folder = place.folder().path();
  CHECK(test::program{what}.wait().code == 0);
  CHECK(show(place, "s")["messages"].size() == 2);
}

TEST_CASE("an answer that could not be written is no success", "[contract]") {
  place place{"  - reply: {text: hello}\n"};
  auto what = test::program::spec{};
  what.path = "/bin/sh";
  auto form = GENERATE("", " --json", " --events");
  what.arguments = {"-c", "exec " TROUPE_BINARY_DIR
                          "/bin/troupe run guide.yaml hi"
                            + std::string{form} + " > /dev/full"};
  what.folder = place.folder().path();
  auto done = test::program{what}.wait();
  CHECK(done.code == 1);
  CHECK(done.err.starts_with("troupe: internal: the output could not be"));
}
