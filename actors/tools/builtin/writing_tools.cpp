#include "troupe/actors/tools/builtin/file_tools.hpp"
#include "troupe/actors/tools/builtin/known_files.hpp"
#include "troupe/actors/tools/make_tool.hpp"

#include <boost/describe.hpp>

#include <optional>

namespace troupe {

namespace {

struct write_arguments {
  std::string path;
  std::string content;
};

BOOST_DESCRIBE_STRUCT(write_arguments, (), (path, content))

struct write_output {
  uint64_t bytes = 0;
  bool created = false;
};

BOOST_DESCRIBE_STRUCT(write_output, (), (bytes, created))

struct replace_arguments {
  std::string path;
  std::string old_text;
  std::string new_text;
  std::optional<bool> all;
};

BOOST_DESCRIBE_STRUCT(replace_arguments, (), (path, old_text, new_text, all))

struct replace_output {
  uint64_t replacements = 0;
};

BOOST_DESCRIBE_STRUCT(replace_output, (), (replacements))

co::task<write_output> write_file(tool_context context, write_arguments x) {
  auto known = known_file(context, x.path);
  auto request = write_file_request{x.path, std::move(x.content),
                                    std::move(known)};
  auto written = co_await context.ask<write_file_result>(std::move(request));
  remember_file(context, written.canonical, written.digest);
  co_return write_output{written.bytes, written.created};
}

co::task<replace_output> replace_in_file(tool_context context,
                                         replace_arguments x) {
  auto known = known_file(context, x.path);
  auto request = replace_in_file_request{x.path, std::move(x.old_text),
                                         std::move(x.new_text),
                                         x.all.value_or(false),
                                         std::move(known)};
  auto replaced
    = co_await context.ask<replace_in_file_result>(std::move(request));
  remember_file(context, replaced.canonical, replaced.digest);
  co_return replace_output{replaced.replacements};
}

tool_spec changing(const char* name, const char* description,
                   recovery_class recovery) {
  auto result = tool_spec{};
  result.name = name;
  result.capability = "write";
  result.description = description;
  result.recovery = recovery;
  result.uses_sandbox = true;
  return result;
}

} // namespace

template <>
struct described_docs<write_arguments> {
  static constexpr member_doc members[] = {
    {"path", "relative to the workspace root, or workspace://NAME/…"},
    {"content", "the whole new content"},
  };
};

template <>
struct described_docs<replace_arguments> {
  static constexpr member_doc members[] = {
    {"path", "relative to the workspace root, or workspace://NAME/…"},
    {"old_text", "exactly as it stands in the file"},
    {"new_text", "what takes its place"},
    {"all", "every occurrence; without it there must be exactly one"},
  };
};

std::vector<tool> writing_tools() {
  return {
    // Writing the same once more changes nothing.
    make_tool(changing("write_file",
                       "Writes a file whole. A file that exists must have been "
                       "read before.",
                       recovery_class::idempotent),
              write_file),
    make_tool(changing("replace_in_file",
                       "Replaces a piece of text in a file that was read "
                       "before.",
                       recovery_class::ask),
              replace_in_file),
  };
}

} // namespace troupe
