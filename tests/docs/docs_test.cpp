#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

#include "docs/page.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

using namespace troupe::test;

namespace {

namespace fs = std::filesystem;

const auto root = fs::path{TROUPE_SOURCE_DIR};

std::string read_file(const fs::path& file) {
  auto in = std::ifstream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Pages whose code is fragments for the reader.
bool has_only_prose(const fs::path& page) {
  return page == "docs/coroutines.md";
}

/// What `command` prints in `folder`, where `troupe` and the examples can be
/// called by name.
std::string output_of(const std::string& command, const fs::path& folder) {
  auto what = program::spec{};
  what.path = "/bin/bash";
  what.arguments = {"-c", "exec 2>&1\nPATH=" TROUPE_BINARY_DIR
                          "/bin:" TROUPE_BINARY_DIR "/examples:$PATH\n"
                            + command};
  what.folder = folder;
  return program{what}.wait().out;
}

void check_commands(const page_block& block, const fs::path& folder) {
  auto commands = read_commands(block.text);
  CHECK_FALSE(commands.empty());
  for (const auto& [text, expected] : commands) {
    auto output = output_of(text, folder);
    INFO("$ " << text << '\n' << output);
    CHECK(is_shown(expected, output));
  }
}

/// Does with `block` what it is for; whether that could have failed.
bool check_block(const page_block& block, const temp_dir& folder) {
  INFO("the block in line " << block.line << " of the page");
  switch (use_of(block)) {
    case block_use::none:
      return false;
    case block_use::write:
      folder.write(block.file, block.text);
      return false;
    case block_use::run:
      check_commands(block, folder.path());
      return true;
    case block_use::quote:
      CHECK(quotes(read_file(root / block.file), block.text));
      return true;
  }
  return false;
}

} // namespace

TEST_CASE("every page shows what the program really does", "[docs]") {
  auto pages = documentation(root);
  REQUIRE(pages.size() > 8);
  auto page = GENERATE_COPY(from_range(pages));
  DYNAMIC_SECTION(page.string()) {
    auto folder = temp_dir{};
    auto checked = 0;
    for (const auto& block : read_blocks(read_file(root / page)))
      checked += check_block(block, folder) ? 1 : 0;
    CHECK((checked > 0 || has_only_prose(page)));
  }
}

TEST_CASE("every link between pages leads to a file", "[docs]") {
  auto pages = documentation(root);
  for (const auto* more :
       {"CONTRIBUTING.md", "CHANGELOG.md", "actors/README.md",
        "runtime/README.md", "config/README.md", "sandbox/README.md",
        "storage/README.md"})
    pages.emplace_back(more);
  for (const auto& page : pages)
    for (const auto& link : local_links(read_file(root / page))) {
      INFO(page << " -> " << link);
      CHECK(fs::exists(root / page.parent_path() / link));
    }
}

TEST_CASE("the blocks of a page are told by their first line", "[docs]") {
  auto blocks = read_blocks("text\n```yaml file=a/b.yaml\nx: 1\n```\n"
                            "```console\n$ ls\n```\n```sh\nls\n```\n"
                            "```cpp file=x.cpp\nint x;\n```\n");
  REQUIRE(blocks.size() == 4);
  CHECK(blocks[0].file == "a/b.yaml");
  CHECK(blocks[0].text == "x: 1\n");
  CHECK(blocks[0].line == 3);
  CHECK(use_of(blocks[0]) == block_use::write);
  CHECK(use_of(blocks[1]) == block_use::run);
  CHECK(use_of(blocks[2]) == block_use::none);
  CHECK(use_of(blocks[3]) == block_use::quote);
}

TEST_CASE("a command has the lines below it as its output", "[docs]") {
  auto commands = read_commands("$ one \\\n  two\na\n\nb\n$ three\n");
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].text == "one \\\n  two");
  CHECK(commands[0].output == std::vector<std::string>{"a", "", "b"});
  CHECK(commands[1].text == "three");
  CHECK(commands[1].output.empty());
}

TEST_CASE("an ellipsis stands for any text, nothing else does", "[docs]") {
  CHECK(is_shown({"a", "…", "d"}, "a\nb\nc\nd\n"));
  CHECK(is_shown({"a", "…"}, "a\n"));
  CHECK(is_shown({"x … z …"}, "x yy z 1\n"));
  CHECK(is_shown({}, ""));
  CHECK_FALSE(is_shown({"a", "…", "d"}, "a\nb\n"));
  CHECK_FALSE(is_shown({"x … z"}, "x y\nz\n"));
  CHECK_FALSE(is_shown({"a"}, "a\nb\n"));
  CHECK_FALSE(is_shown({"a", "b"}, "a\n"));
  CHECK_FALSE(is_shown({}, "a\n"));
}

TEST_CASE("a quotation is whole lines in one piece", "[docs]") {
  CHECK(quotes("a\nb\nc\n", "b\nc\n"));
  CHECK_FALSE(quotes("a\nb\nc\n", "a\nc\n"));
  CHECK_FALSE(quotes("ab\n", "b\n"));
  CHECK_FALSE(quotes("a\n", ""));
}

TEST_CASE("a link is a target in the tree outside of code", "[docs]") {
  auto page = "[a](x.md#part), [b](https://example.com) [c](#d)\n"
              "```cpp\nauto f = [](y) {};\n```\n[](auto z) [e](../w.md)\n";
  CHECK(local_links(page) == std::vector<std::string>{"x.md", "../w.md"});
}
