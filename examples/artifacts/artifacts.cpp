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

// Gives the model a reference; whoever has the run reads the file.
co::task<std::string> draw_chart(tool_context context, sales x) {
  auto svg = std::string{"<svg xmlns='http://www.w3.org/2000/svg'>"};
  for (auto one : x.numbers)
    svg += "<rect height='" + std::to_string(one) + "'/>";
  auto order = store_artifacts{{{"chart.svg", svg + "</svg>"}}};
  auto stored = co_await context.ask<stored_artifacts>(std::move(order));
  co_return stored.paths.front();
}

tool chart_tool() {
  auto spec = tool_spec{};
  spec.name = "draw_chart";
  spec.description = "Draws a chart and says where it is.";
  spec.uses_sandbox = true;
  return make_tool(std::move(spec), draw_chart);
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
  options.agents = {agent{"clerk"}
                      .model("cassette:" + std::string{argv[1]})
                      .use(chart_tool())
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
