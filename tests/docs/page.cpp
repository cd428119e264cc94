#include "docs/page.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace troupe::test {

namespace {

constexpr auto fence = std::string_view{"```"};
constexpr auto prompt = std::string_view{"$ "};
constexpr auto anything = std::string_view{"…"};

std::vector<std::string> lines_of(std::string_view text) {
  auto result = std::vector<std::string>{};
  auto in = std::istringstream{std::string{text}};
  for (auto line = std::string{}; std::getline(in, line);)
    result.push_back(line);
  return result;
}

page_block open_block(const std::string& line, size_t number) {
  auto result = page_block{};
  auto in = std::istringstream{line.substr(fence.size())};
  in >> result.language;
  for (auto word = std::string{}; in >> word;)
    if (word.starts_with("file="))
      result.file = word.substr(5);
  result.line = number + 1;
  return result;
}

bool line_matches(std::string_view pattern, std::string_view text) {
  auto gap = pattern.find(anything);
  if (gap == std::string_view::npos)
    return pattern == text;
  if (!text.starts_with(pattern.substr(0, gap)))
    return false;
  auto rest = pattern.substr(gap + anything.size());
  for (auto i = gap; i <= text.size(); ++i)
    if (line_matches(rest, text.substr(i)))
      return true;
  return false;
}

using line_iterator = std::vector<std::string>::const_iterator;

bool lines_match(line_iterator pattern, line_iterator pattern_end,
                 line_iterator line, line_iterator end) {
  for (; pattern != pattern_end; ++pattern, ++line) {
    if (*pattern == anything) {
      for (;; ++line) {
        if (lines_match(pattern + 1, pattern_end, line, end))
          return true;
        if (line == end)
          return false;
      }
    }
    if (line == end || !line_matches(*pattern, *line))
      return false;
  }
  return line == end;
}

} // namespace

block_use use_of(const page_block& block) {
  if (block.language == "console")
    return block_use::run;
  if (block.file.empty())
    return block_use::none;
  return block.language == "cpp" ? block_use::quote : block_use::write;
}

std::vector<page_block> read_blocks(std::string_view page) {
  auto result = std::vector<page_block>{};
  auto number = size_t{0};
  auto inside = false;
  for (const auto& line : lines_of(page)) {
    ++number;
    if (line.starts_with(fence)) {
      if (!std::exchange(inside, !inside))
        result.push_back(open_block(line, number));
    } else if (inside) {
      result.back().text += line + '\n';
    }
  }
  return result;
}

std::vector<shown_command> read_commands(std::string_view block) {
  auto result = std::vector<shown_command>{};
  auto goes_on = false;
  for (const auto& line : lines_of(block)) {
    if (goes_on)
      result.back().text += '\n' + line;
    else if (line.starts_with(prompt))
      result.push_back({line.substr(prompt.size()), {}});
    else if (!result.empty())
      result.back().output.push_back(line);
    goes_on = (goes_on || line.starts_with(prompt)) && line.ends_with('\\');
  }
  return result;
}

bool is_shown(const std::vector<std::string>& expected,
              std::string_view output) {
  auto lines = lines_of(output);
  return lines_match(expected.begin(), expected.end(), lines.begin(),
                     lines.end());
}

bool quotes(std::string_view file, std::string_view text) {
  auto all = lines_of(file);
  auto part = lines_of(text);
  return !part.empty()
         && std::search(all.begin(), all.end(), part.begin(), part.end())
              != all.end();
}

std::vector<std::string> local_links(std::string_view page) {
  auto result = std::vector<std::string>{};
  auto inside = false;
  for (const auto& line : lines_of(page)) {
    inside = inside != line.starts_with(fence);
    for (auto at = line.find("]("); !inside && at != std::string::npos;
         at = line.find("](", at + 1)) {
      auto target = line.substr(at + 2, line.find_first_of("#)", at) - at - 2);
      // A lambda in a sentence is no link.
      if (!target.empty() && target.find_first_of(" :") == std::string::npos)
        result.push_back(target);
    }
  }
  return result;
}

std::vector<std::filesystem::path>
documentation(const std::filesystem::path& root) {
  auto result = std::vector<std::filesystem::path>{"README.md"};
  for (const auto& entry : std::filesystem::directory_iterator{root / "docs"})
    if (entry.path().extension() == ".md")
      result.push_back("docs" / entry.path().filename());
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace troupe::test
