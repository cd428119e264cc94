#include "troupe/config/yaml_document.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"

#include <sys/stat.h>
#include <unistd.h>

using namespace troupe;

namespace {

caf::expected<yaml_node> parse(std::string_view text) {
  return parse_yaml(text, {"t.yaml", {}, false});
}

// "message (where)" of each fault; empty for a text that parses.
std::vector<std::string> faults_of(std::string_view text) {
  auto result = std::vector<std::string>{};
  auto tree = parse(text);
  if (tree)
    return result;
  for (const auto& what : to_faults(tree.error())) {
    CHECK(what.kind == errc::configuration);
    result.push_back(what.message + " (" + what.where + ')');
  }
  return result;
}

using texts = std::vector<std::string>;

std::string repeat(std::string_view text, size_t n) {
  auto result = std::string{};
  for (size_t i = 0; i < n; ++i)
    result += text;
  return result;
}

} // namespace

TEST_CASE("parse_yaml keeps kinds, order, quoting and places",
          "[yaml_document]") {
  auto tree = parse("b: 1\na:\n  - \"x\"\n  - {k: v}\nempty:\n");
  REQUIRE(tree);
  REQUIRE(tree->kind == yaml_kind::mapping);
  REQUIRE(tree->members.size() == 3);
  CHECK(tree->members[0].key.text == "b");
  CHECK(tree->members[1].key.text == "a");
  const auto& list = tree->members[1].value;
  REQUIRE(list.kind == yaml_kind::sequence);
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[0].quoted);
  CHECK(list.items[0].text == "x");
  CHECK(where(list.items[0]) == "t.yaml:3:5");
  CHECK(where(list.items[1].members[0].key) == "t.yaml:4:6");
  CHECK_FALSE(tree->members[0].value.quoted);
  CHECK(tree->members[2].value.kind == yaml_kind::null);
  CHECK(where(tree->members[2].value) == "t.yaml:5:1");
}

TEST_CASE("parse_yaml calls blocks and !!str text", "[yaml_document]") {
  auto tree = parse("a: |\n  1\nb: !!str 2\nc: '3'\nd: 4\n");
  REQUIRE(tree);
  CHECK(find_member(*tree, "a")->quoted);
  CHECK(find_member(*tree, "b")->quoted);
  CHECK(find_member(*tree, "c")->quoted);
  CHECK_FALSE(find_member(*tree, "d")->quoted);
  CHECK(find_member(*tree, "e") == nullptr);
}

TEST_CASE("an empty text is a null node with a place", "[yaml_document]") {
  for (auto text : {"", "\n\n", "# only a comment\n"}) {
    auto tree = parse(text);
    REQUIRE(tree);
    CHECK(tree->kind == yaml_kind::null);
    CHECK(where(*tree) == "t.yaml:1:1");
  }
}

TEST_CASE("parse_yaml reports every duplicate key with both places",
          "[yaml_document]") {
  CHECK(faults_of("a: 1\nb: {c: 1, c: 2}\na: 3\n")
        == texts{"key `c` is there twice, first at t.yaml:2:5 (t.yaml:2:11)",
                 "key `a` is there twice, first at t.yaml:1:1 (t.yaml:3:1)"});
}

TEST_CASE("parse_yaml reports a syntax error with its place",
          "[yaml_document]") {
  CHECK(
    faults_of("a: [1, 2\nb: 3\n")
    == texts{"not valid YAML: end of sequence flow not found (t.yaml:2:2)"});
  CHECK(faults_of("a: *nobody\n").size() == 1);
  CHECK(faults_of("a: \"\\q\"\n").size() == 1);
  CHECK(faults_of("a: b: c\n").size() == 1);
}

TEST_CASE("a variable that a brace cuts in two gets a hint",
          "[yaml_document]") {
  auto tree = parse("a: {b: ${N}}\n");
  REQUIRE_FALSE(tree);
  CHECK(to_fault(tree.error()).hint
        == "within [ ] or { }, put \"${NAME}\" in quotes");
}

TEST_CASE("a key is a scalar", "[yaml_document]") {
  auto expected = [](std::string_view place) {
    return texts{"a key must be a plain text (" + std::string{place} + ')'};
  };
  CHECK(faults_of("? [a, b]\n: 1\n") == expected("t.yaml:1:3"));
  CHECK(faults_of("? {a: b}\n: 1\n") == expected("t.yaml:1:3"));
  CHECK(faults_of("~: 1\n") == expected("t.yaml:1:1"));
}

TEST_CASE("a file holds one document", "[yaml_document]") {
  CHECK(parse("---\na: 1\n...\n"));
  CHECK(faults_of("a: 1\n---\nb: 2\n")
        == texts{"more text follows the end of the document; a file holds one "
                 "document (t.yaml:2:1)"});
}

TEST_CASE("tags that would need an application are refused",
          "[yaml_document]") {
  auto expected
    = texts{"tags other than !!str have no meaning here (t.yaml:1:4)"};
  CHECK(faults_of("a: !thing 1\n") == expected);
  CHECK(faults_of("a: !thing [1]\n") == expected);
  CHECK(faults_of("a: !thing {b: 1}\n") == expected);
  CHECK(faults_of("a: !!binary aGk=\n") == expected);
}

TEST_CASE("an alias is a copy of what it names", "[yaml_document]") {
  auto tree = parse("a: &x {k: [1]}\nb: *x\n");
  REQUIRE(tree);
  const auto* copy = find_member(*find_member(*tree, "b"), "k");
  REQUIRE(copy);
  REQUIRE(copy->items.size() == 1);
  CHECK(copy->items[0].text == "1");
  CHECK(where(*copy) == "t.yaml:1:11");
}

TEST_CASE("an alias inside of its own anchor is refused", "[yaml_document]") {
  CHECK(faults_of("a: &x [*x]\n")
        == texts{"an alias inside of what it names (t.yaml:1:8)"});
}

TEST_CASE("a billion laughs are refused before they are copied",
          "[yaml_document]") {
  auto text = std::string{"a0: &a0 [lol]\n"};
  for (int i = 1; i < 12; ++i) {
    auto last = "*a" + std::to_string(i - 1);
    auto name = 'a' + std::to_string(i);
    text += name + ": &" + name + " [" + last + repeat(", " + last, 9) + "]\n";
  }
  auto faults = faults_of(text);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].starts_with("too many values"));
}

TEST_CASE("one long text under many aliases is refused", "[yaml_document]") {
  auto text = "a: &a " + std::string(100'000, 'x') + "\nb: [*a"
              + repeat(", *a", 100) + "]\n";
  auto faults = faults_of(text);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].starts_with("too much text"));
}

TEST_CASE("a chain of aliases nests no deeper than a text may",
          "[yaml_document]") {
  auto text = std::string{"a0: &a0 [1]\n"};
  for (int i = 1; i < 80; ++i) {
    auto name = 'a' + std::to_string(i);
    text += name + ": &" + name + " [*a" + std::to_string(i - 1) + "]\n";
  }
  auto faults = faults_of(text);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].starts_with("values are nested too deeply"));
}

TEST_CASE("deep nesting is refused in every form", "[yaml_document]") {
  CHECK(parse(repeat("[", 60) + repeat("]", 60)));
  for (auto text :
       {repeat("[", 100'000), repeat("{a: ", 100'000), repeat("- ", 100'000),
        repeat("? ", 100'000), repeat("[", 100) + repeat("]", 100)})
    CHECK(faults_of(text).size() == 1);
}

TEST_CASE("text that is not UTF-8 is refused with its place",
          "[yaml_document]") {
  CHECK(faults_of("a: 1\nb: \xff\n") == texts{"not UTF-8 text (t.yaml:2:4)"});
  for (auto bad : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    CHECK(faults_of(bad).size() == 1);
  CHECK(parse("a: \xe2\x82\xac \xf0\x9f\x8e\xad\n"));
}

TEST_CASE("a quote that is never closed is refused", "[yaml_document]") {
  auto expected = texts{"a quote that is never closed (t.yaml:2:4)"};
  CHECK(faults_of("ä: \"€\"\nb: \"x\n") == expected);
  CHECK(faults_of("ä: \"€\"\r\nb: 'x\r\nc: 1\r\n") == expected);
  CHECK(faults_of("\xef\xbb\xbfä: 1\nb: \"x\\\"\n") == expected);
  CHECK(parse("a: \"x\\\"y\"\nb: 'it''s'\nc: it's\nd: x\"y\n"));
}

TEST_CASE("control characters are refused", "[yaml_document]") {
  auto text = std::string{"a: 1\nb: \0\n", 10};
  CHECK(faults_of(text) == texts{"a control character (t.yaml:2:4)"});
  CHECK(faults_of("a: 1\n\x04") == texts{"a control character (t.yaml:2:1)"});
  CHECK(faults_of("\x1b").size() == 1);
  CHECK(parse("a:\t1\r\nb: \"\\e\\0\"\r\n"));
}

TEST_CASE("a text over the limit is refused", "[yaml_document]") {
  auto limits = yaml_limits{};
  limits.bytes = 10;
  CHECK(parse_yaml("a: 1234567", {"t", {}, false}, limits));
  auto tree = parse_yaml("a: 12345678", {"t", {}, false}, limits);
  REQUIRE_FALSE(tree);
  CHECK(render(to_fault(tree.error()))
        == "configuration: larger than 10 bytes (t)");
}

TEST_CASE("parse_yaml_file reads a regular file only", "[yaml_document]") {
  auto dir = test::temp_dir{};
  auto file = dir.write("sub/a.yaml", "k: v\n");
  auto tree = parse_yaml_file(file);
  REQUIRE(tree);
  CHECK(tree->source->name == file);
  CHECK(tree->source->folder == (dir.path() / "sub").string());

  auto fault_of = [](const std::string& path) {
    auto result = parse_yaml_file(path);
    return result ? std::string{} : to_fault(result.error()).message;
  };
  CHECK(fault_of((dir.path() / "none").string()) == "no such file");
  CHECK(fault_of(dir.path().string()) == "not a regular file");
  auto pipe = (dir.path() / "pipe").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(fault_of(pipe) == "not a regular file");
}
