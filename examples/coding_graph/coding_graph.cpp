// The graph of coding_graph.yaml in C++, with the same models.
#include "support/print_run.hpp"

#include <troupe/actors/troupe.hpp>

#include <string>

using namespace troupe;

namespace {

permission_settings may(permission_mode mode) {
  auto result = permission_settings{};
  result.mode = mode;
  return result;
}

graph make_graph(const std::string& folder) {
  auto play = [&](const std::string& name) {
    auto result = agent{name};
    result.model("cassette:" + folder + "/" + name + ".model.yaml");
    return result;
  };
  auto work = play("work");
  work.permissions(may(permission_mode::auto_allow))
    .use("write_file")
    .use("read_file")
    .use("shell");
  auto review = play("review");
  review.permissions(may(permission_mode::read_only)).use("read_file");

  auto policy = sandbox_settings{};
  policy.provider = "native";
  policy.workspace.emplace().provider = "temporary";
  auto result = graph{"coding_graph"};
  result.sandbox(policy)
    .node("plan", play("plan"))
    .node("work", member{work}.retry(1, {"provider"}))
    .node("review", review)
    .node("report", play("report"))
    .edge("plan", "work")
    .edge("work", "review")
    .edge("review", "work", when("review").contains("revise"))
    .edge("review", "report")
    .finish("report");
  return result;
}

} // namespace

int main(int, char** argv) {
  auto options = runtime_options{};
  options.settings.storage.in_memory = true;
  runtime host{options};
  auto request = run_request{};
  request.input = "Write a script that greets.";
  return example::print_run(host.ask(make_graph(argv[1]), request));
}
