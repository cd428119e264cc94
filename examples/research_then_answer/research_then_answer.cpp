// The workflow of research_then_answer.yaml in C++, with the same models.
#include "support/print_run.hpp"

#include <troupe/actors/troupe.hpp>

#include <string>

using namespace troupe;

namespace {

/// An agent whose model is a cassette of this folder.
agent play(const std::string& folder, const std::string& name) {
  auto result = agent{name};
  result.model("cassette:" + folder + "/" + name + ".model.yaml");
  return result;
}

steps make_flow(const std::string& folder) {
  auto research = play(folder, "research").use("grep").use("read_file");
  auto sources = std::string{"{{results.research.output}}"};

  auto checks = steps{};
  checks.invoke("facts", member{play(folder, "facts")}.input(sources))
    .invoke("doubts", member{play(folder, "doubts")}.input(sources));

  auto certain = steps{};
  certain.invoke("answer", member{play(folder, "answer")}.input(
                             "{{input}}\n{{results.facts.output}}"));
  auto doubtful = steps{};
  doubtful.invoke("answer", member{play(folder, "answer")}.input(
                              "{{input}}\n{{results.facts.output}}\nBut: "
                              "{{results.doubts.output}}"));

  auto policy = sandbox_settings{};
  policy.provider = "unrestricted";
  auto flow = steps{"research_then_answer"};
  flow.sandbox(policy)
    .invoke("research", research)
    .parallel(checks, 2)
    .branch(when("doubts").contains("none"), certain, doubtful);
  return flow;
}

} // namespace

int main(int, char** argv) {
  auto folder = std::string{argv[1]};
  auto options = runtime_options{};
  options.settings.storage.in_memory = true;
  runtime host{options};

  auto request = run_request{};
  request.input = "How long do bees live?";
  request.workspace = folder + "/library";
  return example::print_run(host.ask(make_flow(folder), request));
}
