// A workspace that the application makes, and files that a tool stores in it.
#include <boost/describe.hpp>
#include <troupe/actors/troupe.hpp>

#include <filesystem>
#include <iostream>
#include <vector>

using namespace troupe;

struct sales {
  std::vector<double> numbers;
};

BOOST_DESCRIBE_STRUCT(sales, (), (numbers))

// Gives a file, and another that is made behind the call.
std::string draw_chart(tool_context context, sales x) {
  auto svg = std::string{"<svg xmlns='http://www.w3.org/2000/svg'>"};
  for (auto one : x.numbers)
    svg += "<rect height='" + std::to_string(one) + "'/>";
  context.artifact("chart.svg", svg + "</svg>", "image/svg+xml");
  context.artifact("numbers.csv", "text/csv", [x] {
    auto result = std::string{};
    for (auto one : x.numbers)
      result += std::to_string(one) + "\n";
    return result;
  });
  return "drawn";
}

// Stores by itself, to know the place; whoever has the run reads the file.
co::task<std::string> write_report(tool_context context, sales x) {
  auto text = std::to_string(x.numbers.size()) + " sales\n";
  auto order = store_artifacts{{{"report.txt", std::move(text)}}};
  auto stored = co_await context.ask<stored_artifacts>(std::move(order));
  co_return "It is in " + stored.paths.front();
}

tool report_tool() {
  auto spec = tool_spec{};
  spec.name = "write_report";
  spec.description = "Writes a report and says where it is.";
  spec.uses_sandbox = true;
  return make_tool(std::move(spec), write_report);
}

int main(int, char** argv) {
  auto where = workspace_settings{};
  where.provider = "temporary";
  where.paths = {{"artifacts", "artifacts"}, {"style", "/tmp/troupe-style"}};
  auto policy = sandbox_settings{};
  policy.provider = "unrestricted";
  policy.files = {{"root", file_access::read_write},
                  {"artifacts", file_access::read_only},
                  {"style", file_access::read_only}};

  auto options = runtime_options{};
  options.agents
    = {agent{"clerk"}
         .model("cassette:" + std::string{argv[1]})
         .use(make_tool("draw_chart", "Draws a chart.", draw_chart))
         .use(report_tool())
         .use("list_files")
         .sandbox(policy)
         .workspace(where)};
  options.settings.storage.in_memory = true;
  // Absolute named paths must exist when a workspace opens: make them here.
  options.workspace_callbacks.setup = [](const workspace_settings& x) {
    std::filesystem::create_directories(x.paths.at("style"));
  };
  options.workspace_callbacks.teardown = [](const workspace_settings& x) {
    auto all = std::filesystem::recursive_directory_iterator{x.root};
    for (const auto& entry : all)
      if (entry.is_regular_file())
        std::cout << entry.path().filename().string() << "\n";
    std::filesystem::remove(x.paths.at("style"));
  };
  runtime host{options};
  auto run = host.ask("clerk", "Draw the sales.");
  std::cout << to_string(run.status) << ": " << run.response << "\n";
}
