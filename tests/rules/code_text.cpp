#include "rules/code_text.hpp"

#include <algorithm>
#include <cctype>

namespace troupe::test {

namespace {

constexpr auto npos = std::string_view::npos;

enum class part { code, comment, literal };

// Walks over source and says for each character what it is part of.
class lexer {
public:
  explicit lexer(std::string_view source)
    : source_(source),
      parts_(source.size(), part::code) {
    // nop
  }

  std::vector<part> run() {
    while (at_ < source_.size())
      step();
    return std::move(parts_);
  }

private:
  bool sees(std::string_view what) const {
    return source_.substr(at_, what.size()) == what;
  }

  void step() {
    if (sees("//"))
      mark(std::min(source_.find('\n', at_), source_.size()), part::comment);
    else if (sees("/*"))
      mark(end_of("*/", at_ + 2), part::comment);
    else if (sees("\"") && is_raw())
      raw_literal();
    else if (sees("\"") || (sees("'") && !is_digit_separator()))
      plain_literal(source_[at_]);
    else
      ++at_;
  }

  void mark(std::size_t end, part what) {
    std::fill(parts_.begin() + static_cast<std::ptrdiff_t>(at_),
              parts_.begin() + static_cast<std::ptrdiff_t>(end), what);
    at_ = end;
  }

  std::size_t end_of(std::string_view what, std::size_t from) const {
    auto found = source_.find(what, from);
    return found == npos ? source_.size() : found + what.size();
  }

  bool is_raw() const {
    return at_ > 0 && source_[at_ - 1] == 'R';
  }

  // The ' of 1'000 stands in a number, the one of u8'x' after a name.
  bool is_digit_separator() const {
    auto first = at_;
    while (first > 0
           && (is_name_char(source_[first - 1]) || source_[first - 1] == '\''))
      --first;
    return first < at_
           && std::isdigit(static_cast<unsigned char>(source_[first])) != 0;
  }

  void raw_literal() {
    auto open = source_.find('(', at_);
    if (open == npos)
      return mark(source_.size(), part::literal);
    auto end = ")" + std::string{source_.substr(at_ + 1, open - at_ - 1)}
               + "\"";
    ++at_;
    mark(end_of(end, open) - 1, part::literal);
    ++at_;
  }

  void plain_literal(char quote) {
    auto end = at_ + 1;
    while (end < source_.size() && source_[end] != quote
           && source_[end] != '\n')
      end += source_[end] == '\\' ? 2 : 1;
    ++at_;
    mark(std::min(end, source_.size()), part::literal);
    at_ = std::min(at_ + 1, source_.size());
  }

  std::string_view source_;
  std::vector<part> parts_;
  std::size_t at_ = 0;
};

std::string blank(std::string_view source, const std::vector<part>& parts,
                  bool (*unwanted)(part)) {
  auto result = std::string{source};
  for (std::size_t i = 0; i < result.size(); ++i)
    if (unwanted(parts[i]) && result[i] != '\n')
      result[i] = ' ';
  return result;
}

// Blanks preprocessor lines with their continuations.
void blank_directives(std::string& code) {
  for (std::size_t at = 0; at < code.size();) {
    auto first = code.find_first_not_of(" \t", at);
    auto is_directive = first != npos && code[first] == '#';
    auto end = std::min(code.find('\n', at), code.size());
    while (is_directive && end < code.size() && code[end - 1] == '\\')
      end = std::min(code.find('\n', end + 1), code.size());
    if (is_directive)
      std::replace_if(
        code.begin() + static_cast<std::ptrdiff_t>(at),
        code.begin() + static_cast<std::ptrdiff_t>(end),
        [](char x) { return x != '\n'; }, ' ');
    at = end + 1;
  }
}

} // namespace

code_text read_code(std::string_view source) {
  auto parts = lexer{source}.run();
  auto result = code_text{};
  result.without_literals = blank(source, parts,
                                  [](part x) { return x == part::literal; });
  result.without_comments = blank(source, parts,
                                  [](part x) { return x == part::comment; });
  result.code = blank(source, parts, [](part x) { return x != part::code; });
  blank_directives(result.code);
  return result;
}

std::string cpp_blocks(std::string_view page) {
  auto result = std::string{};
  auto inside = false;
  while (!page.empty()) {
    auto end = std::min(page.find('\n'), page.size() - 1) + 1;
    auto line = page.substr(0, end);
    auto is_fence = trim(line).substr(0, 3) == "```";
    if (inside && !is_fence)
      result += line;
    else
      result += '\n';
    if (is_fence)
      inside = !inside && trim(line) == "```cpp";
    page.remove_prefix(end);
  }
  return result;
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  auto before = text.substr(0, offset);
  return 1
         + static_cast<std::size_t>(
           std::count(before.begin(), before.end(), '\n'));
}

bool is_name_char(char x) noexcept {
  return std::isalnum(static_cast<unsigned char>(x)) != 0 || x == '_';
}

std::vector<std::size_t> find_words(std::string_view code,
                                    std::string_view word) {
  auto result = std::vector<std::size_t>{};
  for (auto at = code.find(word); at != npos; at = code.find(word, at + 1)) {
    auto end = at + word.size();
    auto starts = at == 0 || !is_name_char(code[at - 1]);
    auto ends = end == code.size() || !is_name_char(code[end]);
    if (starts && ends)
      result.push_back(at);
  }
  return result;
}

std::size_t skip_space(std::string_view code, std::size_t offset) {
  return std::min(code.find_first_not_of(" \t\r\n", offset), code.size());
}

std::size_t closing(std::string_view code, std::size_t open) {
  auto opens = code[open];
  auto closes = opens == '(' ? ')' : opens == '[' ? ']' : '}';
  if (opens == '<')
    closes = '>';
  auto depth = 0;
  for (auto at = open; at < code.size(); ++at) {
    // The > of an arrow closes nothing.
    if (code[at] == '>' && at > 0 && code[at - 1] == '-')
      continue;
    depth += code[at] == opens ? 1 : 0;
    depth -= code[at] == closes ? 1 : 0;
    if (depth == 0)
      return at;
  }
  return npos;
}

std::string_view trim(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r\n");
  if (first == npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

} // namespace troupe::test
