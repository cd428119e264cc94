#include "support/catch.hpp"

#include "contract/place.hpp"
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace troupe;
using nlohmann::json;
using test::lines_of;
using test::place;

namespace {

constexpr auto working = R"(
  - reply: {text: "I look. ", tool_calls: [{id: c1, name: shell, arguments: {command: "seq 3"}}, {id: c2, name: grep, arguments: {pattern: two, path: "."}}]}
  - reply: {text: "Done."}
  - reply: {text: "Again."}
)";

json show(const place& place, std::vector<std::string> more) {
  more.insert(more.begin(), {"sessions", "show"});
  more.emplace_back("--json");
  auto shown = place.run(more);
  REQUIRE(shown.code == 0);
  return json::parse(shown.out);
}

void run(const place& place, const std::string& session,
         const std::string& prompt = "go") {
  REQUIRE(place.run({"run", "guide.yaml", prompt, "--session", session}).code
          == 0);
}

} // namespace

TEST_CASE("an export is JSON lines, and importing it gives an equal session",
          "[contract]") {
  place place{working};
  run(place, "s");
  auto exported = place.run({"sessions", "export", "s"});
  CHECK(exported.code == 0);
  auto lines = lines_of(exported.out);
  REQUIRE(lines.size() > 5);
  CHECK(lines[0]["session_id"] == "s");
  CHECK(lines[1]["role"] == "user");
  place.folder().write("s.jsonl", exported.out);

  SECTION("from a file") {
    CHECK(place.run({"sessions", "import", "s.jsonl", "--store", "other"}).code
          == 0);
  }
  SECTION("from stdin") {
    auto done = place.run({"sessions", "import", "--store", "other", "--json"},
                          exported.out);
    CHECK(done.code == 0);
    CHECK(json::parse(done.out)["session_id"] == "s");
  }
  CHECK(place.run({"sessions", "export", "s", "--store", "other"}).out
        == exported.out);
  CHECK(show(place, {"s", "--store", "other"}) == show(place, {"s"}));
  // And it goes on.
  auto next = place.run(
    {"run", "guide.yaml", "more", "--session", "s", "--store", "other"});
  CHECK(next.out == "Again.\n");
}

TEST_CASE("an import never overwrites, and takes a file whole or not at all",
          "[contract]") {
  place place{working};
  run(place, "s");
  auto text = place.run({"sessions", "export", "s"}).out;
  auto before = show(place, {"s"});
  auto again = place.run({"sessions", "import"}, text);
  CHECK(again.code == 2);
  CHECK(again.err.find("already") != std::string::npos);
  CHECK(show(place, {"s"}) == before);

  text.resize(text.rfind('\n', text.size() - 2) + 1); // without its last line
  auto cut = place.run({"sessions", "import", "--store", "other"}, text);
  CHECK(cut.code == 2);
  CHECK(place.run({"sessions", "list", "--store", "other", "--json"}).out
        == "[]\n");
  CHECK(place.run({"sessions", "import", "no such file"}).code == 2);
}

TEST_CASE("a fork has what came before, and neither changes the other",
          "[contract]") {
  place place{working};
  run(place, "s");
  auto whole = show(place, {"s"})["messages"];
  CHECK(place.run({"sessions", "fork", "s", "all"}).code == 0);
  CHECK(show(place, {"all"})["messages"] == whole);

  for (size_t at = 1; at <= whole.size(); ++at) {
    auto name = "at" + std::to_string(at);
    REQUIRE(
      place.run({"sessions", "fork", "s", name, "--at", std::to_string(at)})
        .code
      == 0);
    auto part = show(place, {name})["messages"];
    REQUIRE(part.size() >= at);
    // What is not there of an open turn is said to be lost.
    CHECK(part[at - 1]["content"] == whole[at - 1]["content"]);
  }
  run(place, "all", "more");
  CHECK(show(place, {"all"})["messages"].size() == whole.size() + 2);
  CHECK(show(place, {"s"})["messages"] == whole);
  CHECK(place.run({"sessions", "delete", "s"}).code == 0);
  CHECK(show(place, {"at2"})["messages"][0] == whole[0]);
}

TEST_CASE("a fork to what exists, or from what does not, is refused",
          "[contract]") {
  place place{working};
  run(place, "s");
  CHECK(place.run({"sessions", "fork", "s", "s"}).code == 2);
  CHECK(place.run({"sessions", "fork", "none", "t"}).code == 2);
  for (auto at : {"0", "99"}) {
    auto done = place.run({"sessions", "fork", "s", "t", "--at", at});
    CHECK(done.code == 2);
    CHECK(done.err.find("--at") != std::string::npos);
  }
  CHECK(json::parse(place.run({"sessions", "list", "--json"}).out).size() == 1);
}

TEST_CASE("prune removes the sessions that nobody used, and no others",
          "[contract]") {
  place place{working};
  run(place, "old");
  run(place, "new");
  auto none = place.run({"sessions", "prune", "--older-than", "1h"});
  CHECK(none.code == 0);
  CHECK(none.out == "0\n");
  auto all = place.run({"sessions", "prune", "--older-than", "0s", "--json"});
  CHECK(json::parse(all.out)["pruned"] == 2);
  CHECK(place.run({"sessions", "list", "--json"}).out == "[]\n");
  CHECK(place.run({"sessions", "prune", "--older-than", "soon"}).code == 2);
  CHECK(place.run({"sessions", "prune"}).code == 2);
}

TEST_CASE("prune leaves a session that a suspended run has", "[contract]") {
  place place{working, "permissions: {mode: approve}\n"
                       "sandbox: {provider: unrestricted}\n"};
  auto waiting = place.run({"run", "guide.yaml", "go", "--session", "s"});
  CHECK(waiting.code == 4);
  CHECK(place.run({"sessions", "prune", "--older-than", "0s"}).out == "0\n");
  CHECK(show(place, {"s"})["messages"].size() >= 2);
}
