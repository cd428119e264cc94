// The graph of investigation_graph.yaml in C++, with the same models.
#include "support/print_run.hpp"

#include <troupe/actors/troupe.hpp>

#include <chrono>
#include <string>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

graph make_graph(const std::string& folder) {
  auto play = [&](const std::string& name) {
    auto result = agent{name};
    result.model("cassette:" + folder + "/" + name + ".model.yaml");
    return member{result};
  };
  auto result = graph{"investigation_graph"};
  result.node("plan", play("plan"))
    .node("logs", play("logs").input("Look into the logs: "
                                     "{{results.plan.output}}"))
    .node("metrics", play("metrics").timeout(30s))
    .node("estimate", play("estimate"))
    .node("verdict", play("verdict"))
    .edge("plan", "logs")
    .edge("plan", "metrics")
    .edge("logs", "verdict")
    .edge("metrics", "verdict")
    .on_error("metrics", "estimate", {"provider", "timeout"})
    .edge("estimate", "verdict")
    .finish("verdict")
    .max_concurrency(2);
  return result;
}

} // namespace

int main(int, char** argv) {
  auto options = runtime_options{};
  options.settings.storage.in_memory = true;
  runtime host{options};
  auto request = run_request{};
  request.input = "Why was the site slow at nine?";
  return example::print_run(host.ask(make_graph(argv[1]), request));
}
