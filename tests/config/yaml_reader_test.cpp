#include "troupe/config/yaml_reader.hpp"

#include "support/catch.hpp"

using namespace troupe;

namespace {

std::optional<std::string> variables(std::string_view name) {
  if (name == "N")
    return "4";
  if (name == "WAIT")
    return "3s";
  if (name == "EMPTY")
    return "";
  if (name == "YAML")
    return "a: 1\nb: [2]";
  if (name == "API_KEY")
    return "sk-very-secret";
  return std::nullopt;
}

struct fixture {
  explicit fixture(std::string_view text)
    : tree(*parse_yaml(text, {"t.yaml", {}, false})),
      reader(variables),
      fields(reader.root(tree).fields()) {
    // nop
  }

  // "message (where) hint" of each fault.
  std::vector<std::string> faults() const {
    auto result = std::vector<std::string>{};
    for (const auto& x : to_faults(reader.error()))
      result.push_back(x.message + " (" + x.where + ')'
                       + (x.hint.empty() ? "" : " " + x.hint));
    return result;
  }

  yaml_node tree;
  yaml_reader reader;
  yaml_fields fields;
};

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("typed getters read what fits", "[yaml_reader]") {
  auto x = fixture{"t: hello\nq: '5'\nb: true\nn: 7\nf: 1.5\nd: 30s\n"
                   "s: 64KiB\nl: [a, b]\n"};
  CHECK(x.fields.get("t").text() == "hello");
  CHECK(x.fields.get("q").text() == "5");
  CHECK(x.fields.get("b").flag() == true);
  CHECK(x.fields.get("n").count() == uint64_t{7});
  CHECK(x.fields.get("n").number() == 7.0);
  CHECK(x.fields.get("f").number() == 1.5);
  CHECK(x.fields.get("d").duration()
        == caf::timespan{std::chrono::seconds{30}});
  CHECK(x.fields.get("s").size() == uint64_t{65'536});
  CHECK(x.fields.get("l").texts() == texts{"a", "b"});
  x.fields.reject_unknown();
  CHECK(x.faults().empty());
}

TEST_CASE("a missing key is nothing, and only `require` minds",
          "[yaml_reader]") {
  auto x = fixture{"a: {b: 1}\n"};
  CHECK_FALSE(x.fields.get("none"));
  CHECK_FALSE(x.fields.get("none").text());
  CHECK_FALSE(x.fields.get("none").json());
  CHECK(x.fields.get("none").items().empty());
  CHECK_FALSE(x.fields.get("none").fields().get("deeper").count());
  CHECK(x.faults().empty());
  x.fields.get("a").fields().require("c");
  CHECK(x.faults() == texts{"a.c: missing (t.yaml:1:4)"});
}

TEST_CASE("an unknown key names its path, what is allowed and the nearest",
          "[yaml_reader]") {
  auto x = fixture{"limits:\n  max_turn: 5\n  zzz: 1\n"};
  auto limits = x.fields.get("limits").fields();
  limits.get("max_turns");
  limits.get("deadline");
  limits.reject_unknown();
  CHECK(x.faults()
        == texts{"limits.max_turn: unknown key; allowed are max_turns, "
                 "deadline (t.yaml:2:3) did you mean `max_turns`?",
                 "limits.zzz: unknown key; allowed are max_turns, deadline "
                 "(t.yaml:3:3)"});
}

TEST_CASE("a wrong type says what was expected and what was found",
          "[yaml_reader]") {
  auto x = fixture{"a: [1]\nb: '7'\nc: yes\nd: 10\ne: -1\nf: {}\ng:\nh: 12\n"
                   "i: .inf\nj: 1.5\n"};
  x.fields.get("a").duration();
  x.fields.get("b").count();
  x.fields.get("c").flag();
  x.fields.get("d").duration();
  x.fields.get("e").count(1, 9);
  x.fields.get("f").texts();
  x.fields.get("g").text();
  x.fields.get("h").text();
  x.fields.get("i").number();
  x.fields.get("j").size();
  CHECK(x.faults()
        == texts{
          "a: expected a duration such as 250ms, 30s, 10m or 1h, found a list "
          "(t.yaml:1:4)",
          "b: expected a whole number from 0 to 4294967295, found the text `7` "
          "(t.yaml:2:4) remove the quotes",
          "c: expected true or false, found `yes` (t.yaml:3:4)",
          "d: expected a duration such as 250ms, 30s, 10m or 1h, found `10` "
          "(t.yaml:4:4)",
          "e: expected a whole number from 1 to 9, found `-1` (t.yaml:5:4)",
          "f: expected a list, found a mapping (t.yaml:6:4)",
          "g: expected text, found nothing (t.yaml:7:1)",
          "h: expected text, found a number or a truth value (t.yaml:8:4) put "
          "it in quotes",
          "i: expected a number, found `.inf` (t.yaml:9:4)",
          "j: expected a size such as 64KiB, 1MiB, 2GiB, 1MB or a number of "
          "bytes, found `1.5` (t.yaml:10:4)"});
}

TEST_CASE("a word is one of those allowed", "[yaml_reader]") {
  constexpr auto words = std::array<std::string_view, 2>{"full", "relaxed"};
  auto x = fixture{"a: full\nb: relxed\nc: nothing_near\nd: [full]\n"};
  CHECK(x.fields.get("a").word(words) == "full");
  CHECK_FALSE(x.fields.get("b").word(words));
  CHECK_FALSE(x.fields.get("c").word(words));
  CHECK_FALSE(x.fields.get("d").word(words));
  CHECK(x.faults()
        == texts{"b: expected one of full, relaxed, found `relxed` "
                 "(t.yaml:2:4) did you mean `relaxed`?",
                 "c: expected one of full, relaxed, found `nothing_near` "
                 "(t.yaml:3:4)",
                 "d: expected one of full, relaxed, found a list "
                 "(t.yaml:4:4)"});
}

TEST_CASE("faults come in the order of the text", "[yaml_reader]") {
  auto x = fixture{"a: x\nb: y\n"};
  x.fields.get("b").count();
  x.fields.get("a").count();
  REQUIRE(x.faults().size() == 2);
  CHECK(x.faults()[0].starts_with("a: "));
  CHECK(x.faults()[1].starts_with("b: "));
}

TEST_CASE("a variable may stand for any scalar, quoted or not",
          "[yaml_reader]") {
  auto x = fixture{"n: ${N}\nq: \"${N}\"\nd: ${WAIT}\nt: ${N}\n"
                   "m: a-${N}-b\n"};
  CHECK(x.fields.get("n").count() == uint64_t{4});
  CHECK(x.fields.get("q").count() == uint64_t{4});
  CHECK(x.fields.get("d").duration() == caf::timespan{std::chrono::seconds{3}});
  CHECK(x.fields.get("t").text() == "4");
  CHECK(x.fields.get("m").text() == "a-4-b");
  CHECK(x.faults().empty());
}

TEST_CASE("what a variable holds is never read as YAML", "[yaml_reader]") {
  auto x = fixture{"t: ${YAML}\n"};
  CHECK(x.fields.get("t").text() == "a: 1\nb: [2]");
  CHECK(x.fields.get("t").is_scalar());
}

TEST_CASE("a default counts when the variable is unset or empty",
          "[yaml_reader]") {
  auto x = fixture{"a: ${NONE:-7}\nb: ${EMPTY:-8}\nc: ${N:-9}\nd: ${EMPTY}\n"
                   "e: ${NONE:-}\n"};
  CHECK(x.fields.get("a").count() == uint64_t{7});
  CHECK(x.fields.get("b").count() == uint64_t{8});
  CHECK(x.fields.get("c").count() == uint64_t{4});
  CHECK(x.fields.get("d").text() == "");
  CHECK(x.fields.get("e").text() == "");
  CHECK(x.faults().empty());
}

TEST_CASE("a dollar is literal unless a brace follows, and $${ is ${",
          "[yaml_reader]") {
  auto x = fixture{"a: $5 $N $\nb: $${N}\nc: $${N} ${N}\n"};
  CHECK(x.fields.get("a").text() == "$5 $N $");
  CHECK(x.fields.get("b").text() == "${N}");
  CHECK(x.fields.get("c").text() == "${N} 4");
}

TEST_CASE("a variable that is not set is named", "[yaml_reader]") {
  auto x = fixture{"a: {b: \"x ${NONE} y\"}\n"};
  x.fields.get("a").fields().get("b").text();
  CHECK(x.faults()
        == texts{"a.b: the environment variable NONE is not set (t.yaml:1:8) "
                 "set it, give a default as in ${NONE:-default}, or write $${ "
                 "for a literal ${"});
}

TEST_CASE("other forms of a variable are refused", "[yaml_reader]") {
  auto form = GENERATE(as<std::string>{}, "${", "${}", "${1}", "${a b}",
                       "${N-x}", "${N:?x}", "${N", "${A:-${N}}");
  auto x = fixture{"a: '" + form + "'\n"};
  CHECK_FALSE(x.fields.get("a").text());
  REQUIRE(x.faults().size() == 1);
  CHECK(x.faults()[0].find("is not a variable") != std::string::npos);
}

TEST_CASE("without a lookup, variables stay as they are", "[yaml_reader]") {
  auto tree = parse_yaml("a: ${NONE}\n", {"t", {}, false});
  auto reader = yaml_reader{};
  CHECK(reader.root(*tree).fields().get("a").text() == "${NONE}");
}

TEST_CASE("no message shows what a secret variable holds", "[yaml_reader]") {
  auto x = fixture{"a: ${API_KEY}\n"};
  auto value = x.fields.get("a");
  auto text = value.text();
  REQUIRE(text);
  value.fail("unknown model " + *text);
  value.count();
  CHECK(x.faults()
        == texts{"a: unknown model *** (t.yaml:1:4)",
                 "a: expected a whole number from 0 to 4294967295, found "
                 "`${API_KEY}` (t.yaml:1:4)"});
}

TEST_CASE("a message is one line whatever a file holds", "[yaml_reader]") {
  auto x = fixture{"\"k\\e[31m\\n\": 1\na: \"\\e]0;x\\a\"\n"};
  x.fields.get("a").count();
  x.fields.reject_unknown();
  for (const auto& text : x.faults())
    for (auto c : text)
      CHECK(static_cast<unsigned char>(c) >= 0x20);
  CHECK(x.faults()[0].starts_with("k\\x1b[31m\\x0a: unknown key"));
}

TEST_CASE("a hundred errors are enough", "[yaml_reader]") {
  auto x = fixture{"a: 1\n"};
  for (int i = 0; i < 103; ++i)
    x.fields.get("a").fail("wrong");
  auto faults = x.faults();
  REQUIRE(faults.size() == 101);
  CHECK(faults.back() == "3 more errors ()");
}

TEST_CASE("items and entries carry their paths", "[yaml_reader]") {
  auto x = fixture{"list: [1, {a: b}]\nmap: {one: 1, 'b d': 2}\n"};
  auto items = x.fields.get("list").items();
  REQUIRE(items.size() == 2);
  CHECK(items[1].path() == "list[1]");
  CHECK(items[1].fields().get("a").path() == "list[1].a");
  auto entries = x.fields.get("map").entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].first == "one");
  CHECK(x.faults()
        == texts{"map.b d: a name is made of letters, digits, _ and - "
                 "(t.yaml:2:22)"});
}

TEST_CASE("json keeps the types of the core schema and the order",
          "[yaml_reader]") {
  auto x = fixture{"z:\n  i: 5\n  n: -7\n  h: 0x1F\n  o: 0o17\n  f: 1.5e3\n"
                   "  p: .5\n  t: true\n  s: yes\n  q: '5'\n  nil: null\n"
                   "  l: [~, a]\n  big: 18446744073709551615\n  v: ${N}\n"
                   "  w: \"${N}\"\n"};
  CHECK(x.fields.get("z").json()
        == R"({"i":5,"n":-7,"h":31,"o":15,"f":1500.0,"p":0.5,)"
           R"("t":true,"s":"yes","q":"5","nil":null,"l":[null,"a"],)"
           R"("big":18446744073709551615,"v":4,"w":"4"})");
  CHECK(x.faults().empty());
}

TEST_CASE("json refuses what JSON cannot say", "[yaml_reader]") {
  auto x = fixture{"z: {1: a, true: b, x: .nan, y: 1e999, '2': ok}\n"};
  CHECK_FALSE(x.fields.get("z").json());
  CHECK(x.faults()
        == texts{"z.1: a key must be text (t.yaml:1:5) put it in quotes",
                 "z.true: a key must be text (t.yaml:1:11) put it in quotes",
                 "z.x: `.nan` is no number in JSON (t.yaml:1:23)",
                 "z.y: `1e999` is no number in JSON (t.yaml:1:32)"});
}

TEST_CASE("json_object takes a mapping only", "[yaml_reader]") {
  auto x = fixture{"a: {}\nb:\nc: [1]\n"};
  CHECK(x.fields.get("a").json_object() == "{}");
  CHECK(x.fields.get("b").json_object() == "{}");
  CHECK_FALSE(x.fields.get("c").json_object());
  CHECK(x.faults()
        == texts{"c: expected a mapping, found a list (t.yaml:3:4)"});
}
