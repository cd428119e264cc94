#include <troupe/actors/troupe.hpp>

#include <iostream>

struct sum {
  double a, b;
};
BOOST_DESCRIBE_STRUCT(sum, (), (a, b))

double add(sum x) {
  return x.a + x.b;
}

int main(int, char** argv) {
  using namespace troupe;
  auto calc = agent{"calc"};
  calc.model("cassette:" + std::string{argv[1]})
    .system_prompt("Use your tool.");
  calc.use(make_tool("add", "Adds two numbers.", add));

  auto options = runtime_options{};
  options.agents = {calc};
  options.settings.storage.in_memory = true; // or a folder: storage.path
  runtime host{options};

  auto request = run_request{"calc", "What is 2 plus 3?", "monday"};
  request.with_events = true;
  auto run = host.start(request);
  while (auto event = run.next()) // run.cancel() ends it at any moment
    if (event->type == event_type::text_delta)
      std::cout << event->text << std::flush;
  std::cout << "\n" << to_string(run.wait().status) << "\n";
}
