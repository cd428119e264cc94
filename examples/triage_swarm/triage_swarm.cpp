// The swarm of triage_swarm.yaml in C++, with the same models.
#include "support/print_run.hpp"

#include <troupe/actors/troupe.hpp>

#include <string>

using namespace troupe;

namespace {

swarm make_swarm(const std::string& folder) {
  auto play = [&](const std::string& name, const std::string& description) {
    auto result = agent{name};
    result.model("cassette:" + folder + "/" + name + ".model.yaml")
      .description(description);
    return result;
  };
  auto triage = play("triage", "Finds out who can help.");
  triage.system_prompt("Hand over to whoever can help. Do not answer "
                       "yourself.");
  auto result = swarm{"triage_swarm"};
  result.add("triage", triage)
    .add("billing",
         member{play("billing", "Knows what was charged, and gives it back.")}
           .history())
    .add("technical", member{play("technical", "Mends logins.")}.history())
    .handoffs("triage", {"billing", "technical"})
    .handoffs("billing", {"technical"})
    .handoffs("technical", {"billing"})
    .max_steps(6)
    .max_handoff_repeats(1);
  return result;
}

} // namespace

int main(int, char** argv) {
  auto options = runtime_options{};
  options.settings.storage.in_memory = true;
  runtime host{options};
  auto request = run_request{};
  request.input = "I was charged twice, and now I cannot log in.";
  return example::print_run(host.ask(make_swarm(argv[1]), request));
}
