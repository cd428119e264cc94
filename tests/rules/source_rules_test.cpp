#include "rules/source_rules.hpp"

#include "support/catch.hpp"

#include "rules/code_text.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

using namespace troupe::test;

namespace {

std::string read_file(const std::string& path) {
  auto in = std::ifstream{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::size_t faults(const std::string& path, std::string_view source) {
  return check_source(path, source).size();
}

} // namespace

TEST_CASE("the tree keeps the rules of the house", "[rules]") {
  auto root = std::string{TROUPE_SOURCE_DIR};
  auto files = files_to_check(root);
  REQUIRE(files.size() > 20);
  auto found = std::ostringstream{};
  for (auto& file : files)
    for (auto& x : check_source(file, read_file(root + "/" + file)))
      found << x << '\n';
  CHECK(found.str() == "");
}

TEST_CASE("an outside library is only included where it belongs", "[rules]") {
  using row = std::pair<std::string, std::string>;
  auto [header, home] = GENERATE(table<std::string, std::string>(
    {row{"<yaml-cpp/yaml.h>", "config/yaml_reader.cpp"},
     row{"<lmdb.h>", "storage/lmdb_env.cpp"},
     row{"<curl/curl.h>", "runtime/http/curl_loop.cpp"},
     row{"<valijson/validator.hpp>", "runtime/json/json_schema.cpp"},
     row{"<kainjow/mustache.hpp>", "runtime/prompt/prompt_view.cpp"},
     row{"<CLI/CLI.hpp>", "actors/app/command_line.cpp"},
     row{"<re2/re2.h>", "sandbox/grep.cpp"},
     row{"<nlohmann/json.hpp>", "runtime/json/json_text.cpp"},
     row{"<catch2/catch_all.hpp>", "tests/support/catch.hpp"},
     row{"\"caf/all.hpp\"", "actors/agent/agent.cpp"}}));
  auto source = "#  include " + header + " // why\n";
  INFO(source);
  CHECK(faults(home, source) == 0);
  CHECK(faults("runtime/co/task.hpp", source) == 1);
  CHECK(faults("config/settings.hpp", "// " + source) == 0);
}

TEST_CASE("a header in detail/ may include what its sources may", "[rules]") {
  auto source = "#include <valijson/schema.hpp>\n";
  CHECK(faults("runtime/json/detail/rules.hpp", source) == 0);
  CHECK(faults("runtime/json/rules.hpp", source) == 1);
  CHECK(faults("runtime/co/detail/rules.hpp", source) == 1);
}

TEST_CASE("an include says the layer it reaches into", "[rules]") {
  CHECK(faults("runtime/a.cpp", "#include \"troupe/config/b.hpp\"\n") == 0);
  CHECK(faults("runtime/a.cpp", "#include \"caf/error.hpp\"\n") == 0);
  CHECK(faults("runtime/a.cpp", "#include \"b.hpp\"\n") == 1);
  CHECK(faults("runtime/a.cpp", "#include \"co/b.hpp\"\n") == 1);
  CHECK(faults("runtime/a.cpp", "#include \"troupe/../b.hpp\"\n") == 1);
  CHECK(faults("tests/a_test.cpp", "#include \"support/b.hpp\"\n") == 0);
  CHECK(faults("tests/a_test.cpp", "#include \"../b.hpp\"\n") == 1);
}

TEST_CASE("what is unfinished is refused, a quoted word is not", "[rules]") {
  CHECK(faults("config/a.cpp", "// TODO: later\n") == 1);
  CHECK(faults("config/a.cpp", "int FIXME = 1;\n") == 1);
  CHECK(faults("config/a.cpp", "auto x = \"TODO\"; // TODOS\n") == 0);
}

TEST_CASE("a file past 450 lines is refused", "[rules]") {
  CHECK(faults("config/a.cpp", std::string(450, '\n')) == 0);
  CHECK(faults("config/a.cpp", std::string(451, '\n')) == 1);
  CHECK(faults("docs/a.md", std::string(451, '\n')) == 0);
}

TEST_CASE("the path of one machine is refused outside tests", "[rules]") {
  CHECK(faults("config/a.cpp", "auto x = \"/home/me/x\";\n") == 1);
  CHECK(faults("config/a.cpp", "// see /root/x\n") == 1);
  CHECK(faults("config/a.cpp", "#include \"troupe/home/x.hpp\"\n") == 0);
  CHECK(faults("tests/a_test.cpp", "auto x = \"/home/me/x\";\n") == 0);
}

TEST_CASE("catch (...) that does nothing must give its reason", "[rules]") {
  auto wrap = [](std::string_view body) {
    return "void f() { try { g(); } catch (...) " + std::string{body} + " }";
  };
  CHECK(faults("config/a.cpp", wrap("{}")) == 1);
  CHECK(faults("config/a.cpp", wrap("{\n  // nop\n}")) == 1);
  CHECK(faults("config/a.cpp", wrap("{ /* Logging must not fail. */ }")) == 0);
  CHECK(faults("config/a.cpp", wrap("{ failed = true; }")) == 0);
}

TEST_CASE("the code of a page is checked, with its own lines", "[rules]") {
  auto page = std::string{"Never `if (co_await f())`:\n"
                          "```text\nif (co_await f()) g();\n```\n"
                          "```cpp\nif (co_await f()) g();\n```\n"};
  auto found = check_source("docs/coroutines.md", page);
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 6);
  CHECK(found[0].file == "docs/coroutines.md");
}

TEST_CASE("comments and literals are told from code", "[rules]") {
  auto text = read_code("a \"b//c\" // d\n#if e\n'\"' f /* g\n h */ i\n");
  CHECK(text.without_comments
        == "a \"b//c\"     \n#if e\n'\"' f     \n      i\n");
  CHECK(text.without_literals
        == "a \"    \" // d\n#if e\n' ' f /* g\n h */ i\n");
  CHECK(text.code == "a \"    \"     \n     \n' ' f     \n      i\n");
}
