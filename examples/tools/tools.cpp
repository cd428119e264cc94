// The ways to write a tool, and what a model is told of each.
#include <boost/describe.hpp>
#include <nlohmann/json.hpp>
#include <troupe/actors/troupe.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

using namespace troupe;
using namespace std::chrono_literals;

struct search {
  std::string text;
  std::optional<uint32_t> max;
};

BOOST_DESCRIBE_STRUCT(search, (), (text, max))

template <>
struct troupe::described_docs<search> {
  static constexpr member_doc members[] = {
    {"text", "how the title begins"},
    {"max", "how many titles at most; all without it"},
  };
};

struct hits {
  std::vector<std::string> titles;
};

BOOST_DESCRIBE_STRUCT(hits, (), (titles))

hits find_books(search x) {
  if (x.text.empty())
    throw tool_error{"say how the title begins"};
  auto result = hits{};
  for (const auto* title : {"Dune", "Duino Elegies", "Emma"})
    if (std::string{title}.starts_with(x.text)
        && result.titles.size() < x.max.value_or(100))
      result.titles.push_back(title);
  return result;
}

struct file {
  std::string path;
};

BOOST_DESCRIBE_STRUCT(file, (), (path))

// A coroutine: it asks the run's sandbox and keeps a count in the run state.
co::task<uint64_t> count_lines(tool_context context, file x) {
  auto before = context.state("files_counted");
  auto files = before.empty() ? 1 : std::stoi(before) + 1;
  auto request = read_file_request{x.path, 1, 0};
  auto found = co_await context.ask<read_file_result>(std::move(request));
  context.set_state("files_counted", std::to_string(files));
  co_return found.total_lines;
}

tool count_tool() {
  auto spec = tool_spec{};
  spec.name = "count_lines";
  spec.description = "Counts the lines of a file.";
  spec.capability = "read";
  spec.recovery = recovery_class::read_only;
  spec.uses_sandbox = true;
  return make_tool(std::move(spec), count_lines);
}

// Arguments as JSON, with a schema of one's own.
tool weather_tool() {
  auto spec = tool_spec{};
  spec.name = "weather";
  spec.description = "The weather in a city.";
  spec.parameters = R"({"type": "object", "required": ["city"], "properties":
    {"city": {"enum": ["Rome", "Oslo"]}}})";
  auto body = tool::function{[](tool_context, std::string arguments) {
    auto city = nlohmann::json::parse(arguments)["city"].get<std::string>();
    return city == "Oslo" ? "rain" : "sun"; // plain text becomes a JSON string
  }};
  return tool{std::move(spec), std::move(body)};
}

struct nothing {};

BOOST_DESCRIBE_STRUCT(nothing, (), ())

// Blocks, so it runs on the pool, and stops early when it is told to.
std::string boil_egg(tool_context context, nothing) {
  for (int i = 0; i < 10; ++i) {
    if (context.cancelled())
      throw tool_error{"taken off the stove"};
    std::this_thread::sleep_for(1ms);
  }
  return "soft";
}

tool egg_tool() {
  auto spec = tool_spec{};
  spec.name = "boil_egg";
  spec.description = "Boils an egg.";
  spec.blocking = true;
  spec.exclusive = true; // there is one pot
  spec.timeout = 1min;
  return make_tool(std::move(spec), boil_egg);
}

std::string leak(nothing) {
  throw std::runtime_error{"cannot log in with password hunter2"};
}

// Offered to one caller only.
tool leaking_tool() {
  auto spec = tool_spec{};
  spec.name = "leak";
  spec.description = "Fails.";
  spec.available_if = [](const invocation& x) { return x.actor_id == "ann"; };
  return make_tool(std::move(spec), leak);
}

int main(int, char** argv) {
  auto clerk = agent{"clerk"};
  clerk.model("cassette:" + std::string{argv[1]});
  clerk.use(make_tool("find_books", "Finds books by their title.", find_books));
  clerk.use(count_tool()).use(weather_tool()).use(egg_tool());
  clerk.use(leaking_tool());

  auto options = runtime_options{};
  options.agents = {clerk};
  options.settings.storage.in_memory = true;
  runtime host{options};
  auto request = run_request{};
  request.agent = "clerk";
  request.input = "Try your tools.";
  request.session_id = "s";
  request.actor_id = "ann";
  auto run = host.ask(request);
  std::cout << to_string(run.status) << "\n";
  auto messages = host.messages({"clerk", "s", "ann"});
  for (const auto& message : *messages)
    if (message->role == message_role::tool)
      std::cout << message->tool_name << ": " << message->text << "\n";
}
