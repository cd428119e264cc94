#include <troupe/actors/troupe.hpp>

#include <fstream>
#include <iostream>

struct sum {
  double a = 0;
  double b = 0;
};

BOOST_DESCRIBE_STRUCT(sum, (), (a, b))

double add(sum x) {
  return x.a + x.b;
}

int main() {
  std::ofstream{"calc.yaml"}
    << "cassette: 1\n"
       "exchanges:\n"
       "  - reply: {tool_calls: [{name: add, arguments: {a: 2, b: 3}}]}\n"
       "  - reply: {text: \"It is {{last_tool}}.\"}\n";
  auto calc = troupe::agent{"calc"};
  calc.model("cassette:calc.yaml");
  calc.use(troupe::make_tool("add", "Adds two numbers.", add)).use("read_file");
  auto options = troupe::runtime_options{};
  options.settings.storage.in_memory = true;
  options.agents = {calc};
  troupe::runtime host{options};
  auto run = host.ask("calc", "What is 2 plus 3?");
  std::cout << run.response << '\n';
  return run.response == "It is 5.0." ? 0 : 1;
}
