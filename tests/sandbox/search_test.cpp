#include "support/catch.hpp"

#include "troupe/sandbox/file_space.hpp"

#include "sandbox/spaces.hpp"

#include <filesystem>

using namespace troupe;
using test::disk_space;
using test::message_of;
using paths = std::vector<std::string>;

namespace {

void fill(const test::any_space& x) {
  for (const auto* path : {"a.cpp", "a/b.cpp", "a/c/d.cpp", "a-b.cpp",
                           "a/c/d.txt", ".hidden/x.cpp", ".git/x.cpp"})
    REQUIRE(x->write({path, "int main() {}\n// TODO\n", {}}));
}

} // namespace

TEST_CASE("a glob finds files in the order of their paths", "[search]") {
  auto x = test::any_space();
  fill(x);
  CHECK(x->glob({"**/*.cpp", ""})->paths
        == paths{"a-b.cpp", "a.cpp", "a/b.cpp", "a/c/d.cpp"});
  CHECK(x->glob({"*.cpp", ""})->paths == paths{"a-b.cpp", "a.cpp"});
  CHECK(x->glob({"*.cpp", "a"})->paths == paths{"a/b.cpp"});
  CHECK(x->glob({"*.cpp", "workspace://root/a"})->paths == paths{"a/b.cpp"});
  CHECK(x->glob({"**/", ""})->paths == paths{"a", "a/c"});
  CHECK(x->glob({".hidden/*", ""})->paths == paths{".hidden/x.cpp"});
  CHECK(x->glob({".git/*", ""})->paths == paths{".git/x.cpp"});
  CHECK(x->glob({".*/*", ""})->paths == paths{".hidden/x.cpp"});
  CHECK(x->glob({"*.py", ""})->paths.empty());
  CHECK_FALSE(x->glob({"**/*.cpp", ""})->truncated);
}

TEST_CASE("a glob is cut at its cap", "[search]") {
  auto limits = sandbox_limits{};
  limits.list = 5;
  auto x = test::any_space(limits);
  for (auto name : {"d/a", "d/b", "e/c", "e/d", "e/e", "e/f"})
    REQUIRE(x->write({name, "", {}}));
  auto found = x->glob({"**", ""});
  REQUIRE(found);
  CHECK(found->paths == paths{"d/a", "d/b", "e/c", "e/d", "e/e"});
  CHECK(found->truncated);
}

TEST_CASE("a glob says what is wrong with it", "[search]") {
  auto x = test::any_space();
  CHECK(test::kind_of(x->glob({"../*", ""})) == errc::tool);
  CHECK(test::kind_of(x->glob({"*", "none"})) == errc::tool);
  CHECK(test::kind_of(x->glob({"*", "/etc"})) == errc::tool);
}

TEST_CASE("a search shows its matches in order", "[search]") {
  auto x = test::any_space();
  fill(x);
  auto found = x->grep({"TODO", "", "", 0});
  REQUIRE(found);
  REQUIRE(found->matches.size() == 5);
  CHECK(found->matches[0].path == "a-b.cpp");
  CHECK(found->matches[0].line == 2);
  CHECK(found->matches[0].text == "// TODO");
  CHECK(found->matches[4].path == "a/c/d.txt");
  CHECK_FALSE(found->truncated);
  CHECK(x->grep({"TODO", "", "*.txt", 0})->matches.size() == 1);
  CHECK(x->grep({"TODO", "a", "c/*", 0})->matches.size() == 2);
  CHECK(x->grep({"^int.*\\}$", "a/b.cpp", "", 0})->matches.size() == 1);
  CHECK(x->grep({"nothing", "", "", 0})->matches.empty());
}

TEST_CASE("a search stops at its number of matches", "[search]") {
  auto x = test::any_space();
  auto text = std::string{};
  for (auto i = 0; i < 300; ++i)
    text += "x\n";
  REQUIRE(x->write({"a", text, {}}));
  CHECK(x->grep({"x", "", "", 0})->matches.size() == 200);
  CHECK(x->grep({"x", "", "", 0})->truncated);
  CHECK(x->grep({"x", "a", "", 7})->matches.size() == 7);
  CHECK(x->grep({"x", "a", "", 7})->truncated);
  CHECK_FALSE(x->grep({"x", "a", "", 300})->truncated);
}

TEST_CASE("a search shows long and odd lines shortened and as UTF-8",
          "[search]") {
  auto x = test::any_space();
  auto line = std::string{};
  for (auto i = 0; i < 600; ++i)
    line += "é";
  REQUIRE(x->write({"long", line + "\r\n", {}}));
  auto found = x->grep({"éé$", "", "", 0});
  REQUIRE(found->matches.size() == 1);
  CHECK(found->matches[0].text == line.substr(0, 1000));
  REQUIRE(x->write({"odd", "x\xFF", {}}));
  CHECK(x->grep({"^x", "odd", "", 0})->matches[0].text == "x\uFFFD");
}

TEST_CASE("a search passes over binary files", "[search]") {
  auto x = test::any_space();
  REQUIRE(x->write({"bin", std::string{"\0TODO", 5}, {}}));
  REQUIRE(x->write({"text", "TODO", {}}));
  CHECK(x->grep({"TODO", "", "", 0})->matches.size() == 1);
  CHECK(message_of(x->grep({"TODO", "bin", "", 0}))
        == "\"bin\" is a binary file");
}

TEST_CASE("a search says what is wrong with its pattern", "[search]") {
  auto x = test::any_space();
  CHECK(message_of(x->grep({"(", "", "", 0}))
        == "the pattern \"(\" is not valid RE2: missing ): (");
  CHECK(test::kind_of(x->grep({"(?=x)", "", "", 0})) == errc::tool);
  CHECK(test::kind_of(x->grep({std::string(5000, 'a'), "", "", 0}))
        == errc::tool);
  CHECK(test::kind_of(x->grep({"((a{1000}){1000}){1000}", "", "", 0}))
        == errc::tool);
}

TEST_CASE("a pattern that explodes elsewhere is found in linear time",
          "[search][attack]") {
  auto x = test::any_space();
  REQUIRE(x->write({"a", std::string(500'000, 'a'), {}}));
  CHECK(x->grep({"(a+)+b", "", "", 0})->matches.empty());
  CHECK(x->grep({"(a|b)*c", "", "", 0})->matches.empty());
}

TEST_CASE("a file operation ends when its time is spent", "[search]") {
  auto limits = sandbox_limits{};
  limits.wall = caf::timespan{0};
  auto x = test::any_space(limits);
  REQUIRE(x->write({"d/a", "x", {}}));
  auto found = x->glob({"**", ""});
  REQUIRE(found);
  CHECK(found->truncated);
  CHECK(x->grep({"x", "d/a", "", 0})->truncated);
}

TEST_CASE("a search enters no link", "[search][attack]") {
  namespace fs = std::filesystem;
  auto outside = test::temp_dir{};
  outside.write("secret.txt", "TODO SECRET");
  auto x = disk_space{};
  x.dir.write("d/a.txt", "TODO");
  fs::create_directory_symlink(outside.path(), x.dir.path() / "link");
  fs::create_symlink(outside.path() / "secret.txt", x.dir.path() / "d/s.txt");
  fs::create_directory_symlink(".", x.dir.path() / "loop");
  CHECK(x->glob({"**/*.txt", ""})->paths == paths{"d/a.txt"});
  CHECK(x->glob({"link/*", ""})->paths.empty());
  CHECK(x->grep({"TODO", "", "", 0})->matches.size() == 1);
}
