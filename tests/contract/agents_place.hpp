#pragma once

#include "support/catch.hpp"

#include "contract/place.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

/// A folder with agents that answer as their models' files say.
class troupe_of {
public:
  explicit troupe_of(
    const std::vector<std::pair<std::string, std::string>>& agents)
    : place_("  - reply: {text: unused}\n") {
    for (const auto& [name, exchanges] : agents) {
      place_.folder().write(name + ".yaml", "agent: " + name
                                              + "\nmodel: cassette:" + name
                                              + ".model.yaml\n");
      place_.folder().write(name + ".model.yaml",
                            "cassette: 1\nexchanges:\n" + exchanges);
    }
  }

  void write(const std::string& file, const std::string& text) {
    place_.folder().write(file, text);
  }

  const temp_dir& folder() const {
    return place_.folder();
  }

  /// Adds an agent; `more` is added to its file.
  void add(const std::string& name, const std::string& model,
           const std::string& more = {}) {
    write_agent(name, more);
    write(name + ".model.yaml", "cassette: 1\n" + model);
  }

  /// The file of an agent, with more keys than its name and model.
  void write_agent(const std::string& name, const std::string& more) {
    write(name + ".yaml", "agent: " + name + "\nmodel: cassette:" + name
                            + ".model.yaml\n" + more);
  }

  program_result run(std::vector<std::string> arguments) {
    return place_.run(std::move(arguments));
  }

  nlohmann::json run_json(const std::string& file,
                          const std::string& prompt = "Q") {
    auto done = place_.run({"run", file, prompt, "--json"});
    INFO(done.err);
    return nlohmann::json::parse(done.out);
  }

private:
  place place_;
};

inline std::string says(const std::string& text) {
  return "  - reply: {text: '" + text + "'}\n";
}

/// A turn of a model that calls tools: a flow sequence of them.
inline std::string calls(const std::string& list) {
  return "  - reply: {tool_calls: [" + list + "]}\n";
}

inline std::vector<std::string> participants_of(const nlohmann::json& run) {
  auto result = std::vector<std::string>{};
  for (const auto& step : run["steps"])
    result.push_back(step["participant"]);
  return result;
}

} // namespace troupe::test
