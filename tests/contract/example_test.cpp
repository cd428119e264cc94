#include "support/catch.hpp"

#include "contract/agents_place.hpp"

using namespace troupe;
using nlohmann::json;
using test::participants_of;

namespace {

/// What an example in C++ printed: its steps, then its response.
std::string run_in_code(const std::string& name, const std::string& folder) {
  auto spec = test::program::spec{};
  spec.path = std::string{TROUPE_EXAMPLE_PROGRAMS "/"} + name;
  spec.arguments = {folder};
  spec.folder = folder;
  spec.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  auto done = test::program{spec}.wait();
  INFO(done.err);
  CHECK(done.code == 0);
  return done.out;
}

/// The same of a run of the file.
std::string run_from_file(const std::string& name, const std::string& folder,
                          const std::string& prompt) {
  auto store = test::temp_dir{};
  auto done = test::run_troupe(folder, {"run", name + ".yaml", prompt, "--json",
                                        "--store", store.path().string()});
  INFO(done.err);
  REQUIRE(done.code == 0);
  auto run = json::parse(done.out);
  auto result = std::string{};
  for (const auto& step : run["steps"])
    result += step["participant"].get<std::string>() + ": "
              + step["status"].get<std::string>() + "\n";
  return result + run["response"].get<std::string>() + "\n";
}

std::string check_example(const std::string& name, const std::string& prompt) {
  auto folder = std::string{TROUPE_EXAMPLES "/"} + name;
  auto result = run_from_file(name, folder, prompt);
  CHECK(run_in_code(name, folder) == result);
  return result;
}

bool has_bubblewrap() {
  auto probed = test::run_troupe("/",
                                 {"sandbox", "probe", "bubblewrap", "--json"});
  return probed.code == 0 && json::parse(probed.out)[0]["available"];
}

} // namespace

TEST_CASE("the example workflow researches, then answers", "[examples]") {
  CHECK(check_example("research_then_answer", "How long do bees live?")
        == "research: completed\nfacts: completed\ndoubts: completed\n"
           "answer: completed\nIn summer a worker lives about six weeks; a "
           "queen may live five years.\n");
}

TEST_CASE("the example swarm hands over to who can help", "[examples]") {
  CHECK(check_example("triage_swarm",
                      "I was charged twice, and now I cannot log in.")
        == "triage: completed\nbilling: completed\ntechnical: completed\n"
           "Your second charge is refunded, and your login is open again.\n");
}

TEST_CASE("the example graph goes on where somebody fails", "[examples]") {
  CHECK(check_example("investigation_graph", "Why was the site slow at nine?")
        == "plan: completed\nlogs: completed\nmetrics: failed\nestimate: "
           "completed\nverdict: completed\nThe backup that began at 08:58 kept "
           "the disks busy, as far as can be told without metrics.\n");
}

TEST_CASE("the example that codes works in a sandbox", "[examples]") {
  if (!has_bubblewrap()) {
    WARN("there is no bubblewrap here: not run");
    return;
  }
  CHECK(check_example("coding_graph", "Write a script that greets.")
        == "plan: completed\nwork: completed\nreview: completed\nreport: "
           "completed\ngreet.sh greets whom you name; it was run and "
           "reviewed.\n");
}
