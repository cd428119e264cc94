#include "support/calc_agent.hpp"

#include <boost/describe.hpp>

namespace troupe::bench {

namespace {

struct sum {
  double a = 0;
  double b = 0;
};

BOOST_DESCRIBE_STRUCT(sum, (), (a, b))

double add(sum x) {
  return x.a + x.b;
}

} // namespace

agent calc_agent(const std::string& model) {
  auto result = agent{"calc"};
  result.model(model).system_prompt("You are a helpful assistant.");
  result.use(make_tool("add", "Adds two numbers.", add));
  return result;
}

run_request calc_request() {
  auto result = run_request{};
  result.agent = "calc";
  result.input = "What is 2 plus 3?";
  return result;
}

} // namespace troupe::bench
