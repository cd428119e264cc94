#include "troupe/actors/tools/builtin/file_tools.hpp"
#include "troupe/actors/tools/builtin/known_files.hpp"
#include "troupe/actors/tools/make_tool.hpp"
#include "troupe/actors/tools/tool_host.hpp"
#include "troupe/runtime/json/json_string.hpp"
#include "troupe/runtime/tools/cut_output.hpp"

#include <boost/describe.hpp>

#include <optional>

namespace troupe {

namespace {

struct read_arguments {
  std::string path;
  std::optional<uint64_t> offset;
  std::optional<uint64_t> limit;
};

BOOST_DESCRIBE_STRUCT(read_arguments, (), (path, offset, limit))

struct read_output {
  std::string content;
  uint64_t total_lines = 0;
  bool truncated = false;
};

BOOST_DESCRIBE_STRUCT(read_output, (), (content, total_lines, truncated))

struct list_arguments {
  std::optional<std::string> path;
};

BOOST_DESCRIBE_STRUCT(list_arguments, (), (path))

struct list_entry {
  std::string name;
  std::string type;
  uint64_t bytes = 0;
};

BOOST_DESCRIBE_STRUCT(list_entry, (), (name, type, bytes))

struct list_output {
  std::vector<list_entry> entries;
  bool truncated = false;
};

BOOST_DESCRIBE_STRUCT(list_output, (), (entries, truncated))

struct glob_arguments {
  std::string pattern;
  std::optional<std::string> path;
};

BOOST_DESCRIBE_STRUCT(glob_arguments, (), (pattern, path))

struct glob_output {
  std::vector<std::string> paths;
  bool truncated = false;
};

BOOST_DESCRIBE_STRUCT(glob_output, (), (paths, truncated))

struct grep_arguments {
  std::string pattern;
  std::optional<std::string> path;
  std::optional<std::string> glob;
  std::optional<uint64_t> max;
};

BOOST_DESCRIBE_STRUCT(grep_arguments, (), (pattern, path, glob, max))

struct grep_line {
  std::string path;
  uint64_t line = 0;
  std::string text;
};

BOOST_DESCRIBE_STRUCT(grep_line, (), (path, line, text))

struct grep_output {
  std::vector<grep_line> matches;
  bool truncated = false;
};

BOOST_DESCRIBE_STRUCT(grep_output, (), (matches, truncated))

size_t size_in_json(const std::string& text) {
  auto json = std::string{};
  append_json_string(json, text);
  return json.size();
}

template <described_struct T>
size_t size_in_json(const T& item) {
  return to_json_text(item).size();
}

/// Drops items from the end until the result can be shown; says whether it
/// dropped any. What is named in full is worth more than an error.
template <class T>
bool fit(std::vector<T>& items) {
  constexpr auto frame = size_t{64}; // the result's own keys
  auto room = most_result_bytes - frame;
  for (auto i = size_t{0}; i < items.size(); ++i) {
    auto size = size_in_json(items[i]) + 1;
    if (size > room) {
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i), items.end());
      return true;
    }
    room -= size;
  }
  return false;
}

co::task<read_output> read_file(tool_context context, read_arguments x) {
  auto request = read_file_request{x.path, x.offset.value_or(1),
                                   x.limit.value_or(0)};
  auto found = co_await context.ask<read_file_result>(std::move(request));
  remember_file(context, found.canonical, found.digest);
  auto page = cut_page(found.content);
  auto result = read_output{};
  result.total_lines = found.total_lines;
  result.truncated = found.truncated || page.size() < found.content.size();
  result.content = page;
  co_return result;
}

co::task<list_output> list_files(tool_context context, list_arguments x) {
  auto request = list_files_request{x.path.value_or("")};
  auto found = co_await context.ask<list_files_result>(std::move(request));
  auto result = list_output{};
  result.truncated = found.truncated;
  for (auto& entry : found.entries)
    result.entries.push_back(
      {std::move(entry.name), std::move(entry.type), entry.bytes});
  result.truncated = fit(result.entries) || result.truncated;
  co_return result;
}

co::task<glob_output> glob(tool_context context, glob_arguments x) {
  auto request = glob_request{x.pattern, x.path.value_or("")};
  auto found = co_await context.ask<glob_result>(std::move(request));
  auto result = glob_output{std::move(found.paths), found.truncated};
  result.truncated = fit(result.paths) || result.truncated;
  co_return result;
}

co::task<grep_output> grep(tool_context context, grep_arguments x) {
  auto request = grep_request{x.pattern, x.path.value_or(""),
                              x.glob.value_or(""), x.max.value_or(0)};
  auto found = co_await context.ask<grep_result>(std::move(request));
  auto result = grep_output{};
  result.truncated = found.truncated;
  for (auto& match : found.matches)
    result.matches.push_back(
      {std::move(match.path), match.line, std::move(match.text)});
  result.truncated = fit(result.matches) || result.truncated;
  co_return result;
}

tool_spec looking(const char* name, const char* capability,
                  const char* description) {
  auto result = tool_spec{};
  result.name = name;
  result.capability = capability;
  result.description = description;
  result.recovery = recovery_class::read_only;
  result.uses_sandbox = true;
  return result;
}

} // namespace

template <>
struct described_docs<read_arguments> {
  static constexpr member_doc members[] = {
    {"path", "relative to the workspace root, or workspace://NAME/…"},
    {"offset", "the first line to read, from 1"},
    {"limit", "how many lines to read; as many as fit without it"},
  };
};

template <>
struct described_docs<list_arguments> {
  static constexpr member_doc members[] = {
    {"path", "the directory; the workspace root without it"},
  };
};

template <>
struct described_docs<glob_arguments> {
  static constexpr member_doc members[] = {
    {"pattern", "for example src/**/*.{hpp,cpp}"},
    {"path", "where to look; the workspace root without it"},
  };
};

template <>
struct described_docs<grep_arguments> {
  static constexpr member_doc members[] = {
    {"pattern", "a regular expression (RE2)"},
    {"path", "a file or directory; the workspace root without it"},
    {"glob", "only files whose path matches"},
    {"max", "how many matches to give at most; 200 without it"},
  };
};

std::vector<tool> reading_tools() {
  return {
    make_tool(looking("read_file", "read",
                      "Reads a text file, whole or by lines."),
              read_file),
    make_tool(looking("list_files", "read",
                      "Lists the entries of a directory."),
              list_files),
    make_tool(looking("glob", "glob",
                      "Finds files by a pattern of their paths."),
              glob),
    make_tool(looking("grep", "read",
                      "Finds lines that match a regular expression."),
              grep),
  };
}

} // namespace troupe
