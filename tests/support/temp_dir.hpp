#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace troupe::test {

/// A folder of its own that is gone after the test.
class temp_dir {
public:
  temp_dir() {
    auto pattern
      = (std::filesystem::temp_directory_path() / "troupe-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }

  temp_dir(const temp_dir&) = delete;
  temp_dir& operator=(const temp_dir&) = delete;

  ~temp_dir() {
    auto ignored = std::error_code{};
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const noexcept {
    return path_;
  }

  /// Writes `text` to `name`, folders included; the full path.
  std::string write(const std::string& name, const std::string& text) const {
    auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << text;
    return file.string();
  }

  std::string read(const std::string& name) const {
    auto in = std::ifstream{path_ / name, std::ios::binary};
    auto out = std::ostringstream{};
    out << in.rdbuf();
    return out.str();
  }

private:
  std::filesystem::path path_;
};

} // namespace troupe::test
