#pragma once

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
    for (const auto& [name, exchanges] : agents)
      add(name, "exchanges:\n" + exchanges);
  }

  /// Adds an agent; `more` is added to its file.
  void add(const std::string& name, const std::string& model,
           const std::string& more = {}) {
    write(name + ".yaml", "agent: " + name + "\nmodel: cassette:" + name
                            + ".model.yaml\n" + more);
    write(name + ".model.yaml", "cassette: 1\n" + model);
  }

  void write(const std::string& file, const std::string& text) {
    place_.folder().write(file, text);
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

/// An exchange that answers with a text.
inline std::string says(const std::string& text) {
  return "  - reply: {text: '" + text + "'}\n";
}

} // namespace troupe::test
