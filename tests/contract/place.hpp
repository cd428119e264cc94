#pragma once

#include "support/program.hpp"
#include "support/temp_dir.hpp"

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

/// A folder with an agent "guide" in guide.yaml and what its model says.
class place {
public:
  explicit place(const std::string& exchanges,
                 const std::string& more = "permissions: {mode: auto}\n"
                                           "sandbox: {provider: unrestricted}"
                                           "\n") {
    folder_.write("guide.yaml",
                  "agent: guide\nmodel: cassette:model.yaml\n"
                  "system_prompt: Read before you answer.\n"
                  "tools: [read_file, list_files, grep, write_file, "
                  "shell]\n"
                    + more);
    folder_.write("model.yaml", "cassette: 1\nexchanges:\n" + exchanges);
    folder_.write("notes.txt", "one\ntwo\nthree\n");
  }

  const temp_dir& folder() const {
    return folder_;
  }

  program_result run(std::vector<std::string> arguments,
                     const std::string& input = {},
                     std::vector<std::string> environment = {}) const {
    return run_troupe(folder_.path(), std::move(arguments), input,
                      std::move(environment));
  }

private:
  temp_dir folder_;
};

/// Text of JSON lines, as `--events` prints it.
inline std::vector<nlohmann::json> lines_of(const std::string& text) {
  auto result = std::vector<nlohmann::json>{};
  auto in = std::istringstream{text};
  auto line = std::string{};
  while (std::getline(in, line))
    result.push_back(nlohmann::json::parse(line));
  return result;
}

} // namespace troupe::test
