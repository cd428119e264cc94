#include "rules/source_rules.hpp"

#include "rules/code_text.hpp"
#include "rules/coroutine_rules.hpp"
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

namespace troupe::test {

namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::size_t max_lines = 450;

// An outside header, and the files that may include it. A `*` also matches
// slashes.
struct include_rule {
  const char* header;
  std::vector<const char*> allowed;
};

const std::vector<include_rule>& include_rules() {
  static const auto rules = std::vector<include_rule>{
    {"yaml-cpp/*", {"config/*.cpp"}},
    {"lmdb.h", {"storage/lmdb_*.cpp", "tests/storage/*.cpp", "bench/*.cpp"}},
    {"curl/*", {"runtime/http/curl_*.cpp", "bench/*.cpp"}},
    {"valijson/*", {"runtime/json/*.cpp"}},
    {"kainjow/*", {"runtime/prompt/*.cpp"}},
    {"mustache.hpp", {"runtime/prompt/*.cpp"}},
    {"CLI/*", {"actors/app/*.cpp"}},
    {"histedit.h", {"actors/app/*.cpp"}},
    {"editline/*", {"actors/app/*.cpp"}},
    {"spdlog/*", {"*.cpp"}},
    {"re2/*", {"*.cpp"}},
    {"openssl/*", {"*.cpp"}},
    {"nlohmann/json.hpp",
     {"*.cpp", "runtime/json/described.hpp", "tests/*.hpp"}},
    {"catch2/*", {"tests/support/catch.hpp"}},
    {"benchmark/*", {"bench/*"}},
    {"caf/all.hpp", {"*.cpp", "tests/*.hpp"}},
    {"caf/io/*", {"actors/*", "tests/actors/*", "bench/*"}},
  };
  return rules;
}

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

bool is_test(const std::string& path) {
  return starts_with(path, "tests/");
}

// What all rules share: the file, and a place to put what they find.
class source_check {
public:
  source_check(std::string path, std::string_view source)
    : path_(std::move(path)),
      source_(source),
      text_(read_code(source)) {
    // nop
  }

  std::vector<finding> run() {
    check_includes();
    if (!matches("*.md", path_))
      check_size();
    check_unfinished();
    check_machine_paths();
    check_swallowed();
    for (auto& x : check_awaits(text_.code))
      report(x.offset, std::move(x.rule));
    for (auto& x : check_coroutine_functions(text_.code))
      report(x.offset, std::move(x.rule));
    return std::move(found_);
  }

private:
  void report(std::size_t offset, std::string rule) {
    found_.push_back({path_, line_at(source_, offset), std::move(rule)});
  }

  void check_includes() {
    auto text = std::string_view{text_.without_comments};
    for (auto at : find_words(text, "include")) {
      auto line = text.substr(0, at);
      line = trim(line.substr(line.find_last_of('\n') + 1));
      auto open = skip_space(text, at + std::string_view{"include"}.size());
      if (line != "#" || open == text.size())
        continue;
      auto close = text.find_first_of("\">\n", open + 1);
      if (close != npos)
        check_include(open, std::string{text.substr(open + 1, //
                                                    close - open - 1)});
    }
  }

  void check_include(std::size_t at, const std::string& header) {
    for (auto& rule : include_rules())
      if (matches(rule.header, header) && !is_allowed(rule))
        report(at, header + " is not for this file: " + rule.header
                     + " belongs in " + rule.allowed.front());
    if (source_[at] == '"' && !is_full_name(header))
      report(at, header + " is relative: write \"troupe/<layer>/...\"");
  }

  bool is_allowed(const include_rule& rule) const {
    auto file = place();
    return std::any_of(rule.allowed.begin(), rule.allowed.end(),
                       [&file](auto x) { return matches(x, file); });
  }

  // Where the file counts as lying: the code of a page is code as in a source
  // file, and a header in detail/ is part of the sources beside that folder.
  std::string place() const {
    constexpr auto detail = std::string_view{"detail/"};
    auto result = path_;
    if (auto at = result.find(detail); at != npos) {
      result.erase(at, detail.size());
      result.replace(result.rfind('.'), npos, ".cpp");
    }
    return matches("*.md", result) ? result + ".cpp" : result;
  }

  // Tests, benchmarks and examples have folders of their own to name.
  bool is_full_name(const std::string& header) const {
    if (header.find("./") != npos)
      return false;
    if (starts_with(header, "troupe/") || starts_with(header, "caf/"))
      return true;
    auto root = std::filesystem::path{path_}.begin()->string();
    auto outside = root == "tests" || root == "bench" || root == "examples";
    return outside && header.find('/') != npos;
  }

  void check_size() {
    auto lines = line_at(source_, source_.size()) - 1;
    if (lines > max_lines)
      report(0, std::to_string(lines) + " lines: split it, "
                  + std::to_string(max_lines) + " is the limit");
  }

  void check_unfinished() {
    for (auto word : {"TODO", "FIXME", "XXX"})
      for (auto at : find_words(text_.without_literals, word))
        report(at, std::string{word} + ": finish it, or file it");
  }

  // A test may well try to reach such a path.
  void check_machine_paths() {
    if (is_test(path_))
      return;
    for (auto folder : {"/home/", "/root/", "/work/", "/Users/"})
      for (auto at = source_.find(folder); at != npos;
           at = source_.find(folder, at + 1)) {
        auto before = at == 0 ? ' ' : source_[at - 1];
        if (!is_name_char(before) && before != '.')
          report(at, std::string{folder} + " is a path of one machine");
      }
  }

  // What catches everything and does nothing must say why.
  void check_swallowed() {
    auto code = std::string_view{text_.code};
    for (auto at : find_words(code, "catch")) {
      auto open = code.find('(', at);
      auto close = open == npos ? npos : code.find(')', open);
      if (close == npos
          || trim(code.substr(open + 1, close - open - 1)) != "...")
        continue;
      auto begin = skip_space(code, close + 1);
      auto end = begin < code.size() ? closing(code, begin) : npos;
      if (end == npos || !trim(code.substr(begin + 1, end - begin - 1)).empty())
        continue;
      auto reason = trim(source_.substr(begin + 1, end - begin - 1));
      if (reason.empty() || reason == "// nop")
        report(at, "catch (...) with an empty body swallows everything");
    }
  }

  std::string path_;
  std::string_view source_;
  code_text text_;
  std::vector<finding> found_;
};

bool is_source(const std::filesystem::path& path) {
  auto kind = path.extension();
  return kind == ".cpp" || kind == ".hpp" || kind == ".md";
}

} // namespace

std::ostream& operator<<(std::ostream& out, const finding& x) {
  return out << x.file << ':' << x.line << ": " << x.rule;
}

std::vector<finding> check_source(const std::string& path,
                                  std::string_view source) {
  if (!matches("*.md", path))
    return source_check{path, source}.run();
  auto blocks = cpp_blocks(source);
  return source_check{path, blocks}.run();
}

std::vector<std::string> files_to_check(const std::string& root) {
  namespace fs = std::filesystem;
  auto result = std::vector<std::string>{};
  for (auto folder : {"config", "storage", "sandbox", "runtime", "actors",
                      "tests", "bench", "examples", "docs"}) {
    auto ignored = std::error_code{};
    for (auto& entry :
         fs::recursive_directory_iterator{fs::path{root} / folder, ignored})
      if (entry.is_regular_file() && is_source(entry.path()))
        result.push_back(fs::relative(entry.path(), root).string());
  }
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace troupe::test
