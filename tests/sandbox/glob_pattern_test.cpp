#include "troupe/sandbox/glob_pattern.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

using namespace troupe;

namespace {

bool matches(std::string_view pattern, std::string_view path,
             hidden_names hidden = hidden_names::explicit_only) {
  auto parsed = glob_pattern::parse(pattern, hidden);
  REQUIRE(parsed);
  return parsed->matches(path);
}

std::string refusal(std::string_view pattern) {
  auto parsed = glob_pattern::parse(pattern);
  return parsed ? "accepted" : to_fault(parsed.error()).message;
}

} // namespace

TEST_CASE("a glob matches within a part", "[glob]") {
  CHECK(matches("*.txt", "a.txt"));
  CHECK(matches("*", "a"));
  CHECK(matches("a*", "a"));
  CHECK(matches("*a*b*", "xaxxbx"));
  CHECK(matches("a?c", "abc"));
  CHECK(matches("?", "é"));
  CHECK_FALSE(matches("*.txt", "b/a.txt"));
  CHECK_FALSE(matches("a*c", "a/c"));
  CHECK_FALSE(matches("a?", "a"));
  CHECK_FALSE(matches("*ab", "abx"));
}

TEST_CASE("a glob has sets of characters", "[glob]") {
  CHECK(matches("[a-c]x", "bx"));
  CHECK_FALSE(matches("[a-c]x", "dx"));
  CHECK(matches("[!a-c]x", "dx"));
  CHECK_FALSE(matches("[^a-c]x", "bx"));
  CHECK(matches("[]]", "]"));
  CHECK(matches("[a-]", "-"));
  CHECK(matches("[ä-ö]", "é"));
  CHECK(matches("[\\]]", "]"));
}

TEST_CASE("two stars stand for any number of directories", "[glob]") {
  CHECK(matches("**/a", "a"));
  CHECK(matches("**/a", "x/y/a"));
  CHECK(matches("x/**/a", "x/a"));
  CHECK(matches("x/**/a", "x/y/z/a"));
  CHECK(matches("x/**", "x/y/z"));
  CHECK_FALSE(matches("x/**", "x"));
  CHECK_FALSE(matches("x/**/a", "y/a"));
  CHECK(matches("**", "a/b/c"));
  CHECK(matches("**/**/a", "a"));
}

TEST_CASE("braces are alternatives", "[glob]") {
  CHECK(matches("*.{cpp,hpp}", "a.hpp"));
  CHECK_FALSE(matches("*.{cpp,hpp}", "a.c"));
  CHECK(matches("{src,test/{unit,it}}/*.c", "test/it/a.c"));
  CHECK(matches("a{,b}", "a"));
  CHECK(matches("{a}", "{a}"));
  CHECK(matches("{a,b", "{a,b"));
  CHECK(matches("\\{a,b}", "{a,b}"));
}

TEST_CASE("hidden names match only what says so", "[glob]") {
  CHECK_FALSE(matches("*", ".env"));
  CHECK_FALSE(matches("**/*.txt", ".cache/a.txt"));
  CHECK_FALSE(matches("[.]env", ".env"));
  CHECK(matches(".*", ".env"));
  CHECK(matches(".github/**", ".github/a/b"));
  CHECK_FALSE(matches(".*/config", ".git/config"));
  CHECK(matches(".git/config", ".git/config"));
}

TEST_CASE("a rule's glob is not dodged by a hidden name", "[glob]") {
  CHECK(matches("protected/**", "protected/.env", hidden_names::included));
  CHECK(matches("**", ".git/config", hidden_names::included));
}

TEST_CASE("a glob that leaves its directory is refused", "[glob]") {
  CHECK(refusal("../*") != "accepted");
  CHECK(refusal("a/../*") != "accepted");
  CHECK(refusal("{a,..}/*") != "accepted");
  CHECK(refusal("*/../*/../*/../*/../*/../*/../*") != "accepted");
  CHECK(refusal("/etc/*") != "accepted");
  CHECK(refusal("") != "accepted");
  CHECK(refusal("./") != "accepted");
  CHECK(refusal("[a") == "\"[a\" has a \"[\" without its \"]\"");
}

TEST_CASE("braces that multiply are refused", "[glob]") {
  auto pattern = std::string{};
  for (auto i = 0; i < 100; ++i)
    pattern += "{a,b}";
  CHECK(refusal(pattern).ends_with("too many alternatives: at most 64"));
  CHECK(refusal(std::string(1024, '{')) == "accepted");
  CHECK(refusal(std::string(1025, 'a')) != "accepted");
}

TEST_CASE("a glob of many stars takes polynomial time", "[glob]") {
  auto pattern = std::string{};
  for (auto i = 0; i < 200; ++i)
    pattern += "*a";
  // Trying all ways to share out the characters would never end.
  CHECK_FALSE(matches(pattern + "b", std::string(250, 'a')));
  auto deep = std::string{};
  for (auto i = 0; i < 100; ++i)
    deep += "**/a/";
  auto path = std::string{};
  for (auto i = 0; i < 500; ++i)
    path += "a/";
  CHECK_FALSE(matches(deep + "b", path + "a"));
}

TEST_CASE("a glob says where nothing can match", "[glob]") {
  auto sut = glob_pattern::parse("src/*.cpp");
  REQUIRE(sut);
  CHECK(sut->step(sut->start(), "docs").empty());
  auto at = sut->step(sut->start(), "src");
  CHECK(sut->continues(at));
  CHECK_FALSE(sut->accepts(at));
  at = sut->step(at, "a.cpp");
  CHECK(sut->accepts(at));
  CHECK_FALSE(sut->continues(at));
}
