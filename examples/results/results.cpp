// An agent whose result is a struct, checked before anybody sees it.
#include <boost/describe.hpp>
#include <troupe/actors/troupe.hpp>

#include <iostream>
#include <optional>
#include <string>

using namespace troupe;

struct verdict {
  std::string topic;
  std::optional<bool> urgent;
};

BOOST_DESCRIBE_STRUCT(verdict, (), (topic, urgent))

int main(int, char** argv) {
  auto triage = agent{"triage"};
  triage.model("cassette:" + std::string{argv[1]}).result<verdict>();

  auto options = runtime_options{};
  options.agents = {triage};
  options.settings.storage.in_memory = true;
  runtime host{options};

  auto found = result_of<verdict>(host.ask("triage", "I paid twice!"));
  if (found)
    std::cout << found->topic << "\n";
  else
    std::cout << render(to_fault(found.error())) << "\n";
}
