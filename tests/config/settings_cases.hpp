#pragma once

#include "support/catch.hpp"

#include "troupe/config/load_settings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::test {

using texts = std::vector<std::string>;

// "message (where) hint" of each fault.
inline texts faults_of(const caf::error& why) {
  auto result = texts{};
  for (const auto& x : to_faults(why)) {
    CHECK(x.kind == errc::configuration);
    result.push_back(x.message + " (" + x.where + ')'
                     + (x.hint.empty() ? "" : " " + x.hint));
  }
  return result;
}

inline texts faults_in(std::string_view text, const environment_map& env = {}) {
  auto result = parse_settings(text, "t.yaml", env);
  return result ? texts{} : faults_of(result.error());
}

inline loaded_settings parse(std::string_view text,
                             const environment_map& env = {}) {
  auto result = parse_settings(text, "t.yaml", env);
  if (!result)
    for (const auto& x : faults_of(result.error()))
      FAIL_CHECK(x);
  REQUIRE(result);
  return std::move(*result);
}

// A working directory, a home and a named file, all empty at first.
struct folders {
  test::temp_dir dir;
  load_request request;

  folders() {
    std::filesystem::create_directories(dir.path() / "work");
    request.working_directory = (dir.path() / "work").string();
    request.environment["HOME"] = (dir.path() / "home").string();
  }

  std::string path(const std::string& name) const {
    return (dir.path() / name).string();
  }

  loaded_settings load() const {
    auto result = load_settings(request);
    if (!result)
      for (const auto& x : faults_of(result.error()))
        FAIL_CHECK(x);
    REQUIRE(result);
    return std::move(*result);
  }
};

} // namespace troupe::test
