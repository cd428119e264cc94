#include "sandbox/escapes/escape_case.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/yaml_reader.hpp"

#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

namespace troupe::test {

namespace {

namespace fs = std::filesystem;

escape_case read_case(const yaml_value& place) {
  auto in = place.fields();
  auto result = escape_case{};
  auto text = [&](const char* key) {
    return in.get(key).text().value_or(std::string{});
  };
  result.id = in.require("id").text().value_or(std::string{});
  result.kind = in.require("kind").text().value_or(std::string{});
  result.run = in.require("run").text().value_or(std::string{});
  // As text where a value, such as 300ms, is none of JSON's.
  auto policy = in.get("policy");
  result.policy = (policy.is_scalar() ? policy.text() : policy.json_object())
                    .value_or(std::string{});
  result.before = text("before");
  result.after = text("after");
  result.limit = text("limit");
  result.says = in.get("says").texts().value_or(std::vector<std::string>{});
  result.never = in.get("never").texts().value_or(std::vector<std::string>{});
  if (auto status = in.get("status").count())
    result.status = static_cast<int>(*status);
  result.needs_scopes = in.get("needs_scopes").flag().value_or(false);
  result.terminal = in.get("terminal").flag().value_or(false);
  result.works_outside = in.get("works_outside").flag().value_or(false);
  in.reject_unknown();
  if (result.says.empty() && !result.status && result.limit.empty())
    place.fail("a case must say how it ends");
  return result;
}

void read_file(const fs::path& path, std::vector<escape_case>& to) {
  auto tree = parse_yaml_file(path.string());
  INFO(path.string());
  REQUIRE(tree);
  auto reader = yaml_reader{};
  for (const auto& place : reader.root(*tree).items())
    to.push_back(read_case(place));
  auto failed = reader.error();
  INFO(caf::to_string(failed));
  REQUIRE_FALSE(failed);
}

bool says(const std::string& output, const std::string& wanted) {
  constexpr auto either = std::string_view{" | "};
  for (size_t at = 0;;) {
    auto end = wanted.find(either, at);
    if (output.find(wanted.substr(at, end - at)) != std::string::npos)
      return true;
    if (end == std::string::npos)
      return false;
    at = end + either.size();
  }
}

} // namespace

std::vector<escape_case> read_escape_cases() {
  auto files = std::set<fs::path>{};
  for (const auto& entry : fs::directory_iterator{
         fs::path{TROUPE_SOURCE_DIR} / "tests/sandbox/escapes/cases"})
    files.insert(entry.path());
  auto result = std::vector<escape_case>{};
  for (const auto& path : files)
    read_file(path, result);
  auto ids = std::set<std::string>{};
  for (const auto& one : result) {
    INFO(one.id);
    REQUIRE(ids.insert(one.id).second);
  }
  const auto* chosen = std::getenv("TROUPE_ESCAPE_CASES");
  if (chosen != nullptr)
    std::erase_if(result,
                  [&](const auto& x) { return !x.id.starts_with(chosen); });
  return result;
}

std::string judge(const escape_case& what, const process_result& result) {
  auto output = result.stdout_text + result.stderr_text;
  for (const auto& wanted : what.says)
    if (!says(output, wanted))
      return "it does not say \"" + wanted + "\"";
  for (const auto& unwanted : what.never)
    if (output.find(unwanted) != std::string::npos)
      return "it says \"" + unwanted + "\"";
  if (what.status && result.status != *what.status)
    return "its status is " + std::to_string(result.status);
  if (result.limit != what.limit)
    return "its limit is \"" + result.limit + "\"";
  return {};
}

} // namespace troupe::test
