#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::test {

/// A command of a page and what the page says it prints.
struct shown_command {
  std::string text;
  std::vector<std::string> output;
};

/// A fenced block of a page.
struct page_block {
  /// The first word behind the fence: cpp, yaml, console…
  std::string language;
  /// The NAME of `file=NAME` behind it, or empty.
  std::string file;
  std::string text;
  /// Of its first line within the page.
  size_t line = 0;
};

/// What a block is to the tests.
enum class block_use {
  /// For the reader only.
  none,
  /// A file that the commands of the page find in their folder.
  write,
  /// Commands and their output.
  run,
  /// A part of a file of the tree.
  quote,
};

block_use use_of(const page_block& block);

/// The fenced blocks of a Markdown page, in order.
std::vector<page_block> read_blocks(std::string_view page);

/// The commands of a console block: lines that begin with "$ ", those after
/// a final backslash included, each with the lines up to the next.
std::vector<shown_command> read_commands(std::string_view block);

/// Whether `output` is what `expected` shows: "…" stands for any text within a
/// line, alone on a line for any number of lines.
bool is_shown(const std::vector<std::string>& expected,
              std::string_view output);

/// Whether whole lines of `text` stand in `file` just so, one after another.
bool quotes(std::string_view file, std::string_view text);

/// What the links of a Markdown page name in the tree, without #anchors.
std::vector<std::string> local_links(std::string_view page);

/// The pages that the tests run: README.md and docs/*.md of `root`, as paths
/// relative to it.
std::vector<std::filesystem::path>
documentation(const std::filesystem::path& root);

} // namespace troupe::test
