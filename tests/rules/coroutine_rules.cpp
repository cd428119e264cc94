#include "rules/coroutine_rules.hpp"

#include <algorithm>
#include <array>

namespace troupe::test {

namespace {

constexpr auto npos = std::string_view::npos;

bool contains(std::string_view text, std::string_view piece) {
  return text.find(piece) != npos;
}

// The last word before `offset`, or nothing where something else stands.
std::string_view word_before(std::string_view code, std::size_t offset) {
  auto end = trim(code.substr(0, offset));
  auto size = std::size_t{0};
  while (size < end.size() && is_name_char(end[end.size() - size - 1]))
    ++size;
  return end.substr(end.size() - size);
}

bool is_one_of(std::string_view word,
               std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// -- awaits ------------------------------------------------------------------

// Where the statement around `offset` begins. Parentheses that were opened
// before `offset` and are still open belong to it: a condition, a call.
std::size_t statement_begin(std::string_view code, std::size_t offset) {
  auto depth = 0;
  for (auto at = offset; at > 0; --at) {
    auto x = code[at - 1];
    if (x == ')')
      ++depth;
    else if (x == '(')
      depth = std::max(depth - 1, 0);
    else if (depth == 0 && (x == ';' || x == '{' || x == '}'))
      return at;
  }
  return 0;
}

// Where it ends: its semicolon, or the parenthesis that encloses it.
std::size_t statement_end(std::string_view code, std::size_t offset) {
  auto depth = 0;
  for (auto at = offset; at < code.size(); ++at) {
    auto x = code[at];
    if (x == '(' || x == '{' || x == '[')
      ++depth;
    else if (x == ')' || x == '}' || x == ']')
      --depth;
    if (depth < 0 || (depth == 0 && x == ';'))
      return at;
  }
  return code.size();
}

// Removes one `if (...)`, `for (...)`, `else`, `case x:` and the like from the
// front of a statement, for only what it governs is checked.
bool drop_control(std::string_view& statement) {
  auto size = std::size_t{0};
  while (size < statement.size() && is_name_char(statement[size]))
    ++size;
  auto word = statement.substr(0, size);
  auto end = npos;
  if (word == "else" || word == "do" || word == "constexpr") {
    end = size;
  } else if (is_one_of(word, {"if", "for", "while", "switch"})) {
    auto open = statement.find('(', size);
    end = open == npos ? npos : closing(statement, open);
    end = end == npos ? npos : end + 1;
  } else if (word == "case" || word == "default") {
    end = size;
    while (end < statement.size()
           && (statement[end] != ':' || statement.substr(end, 2) == "::"))
      end += statement[end] == ':' ? 2 : 1;
    end = std::min(end + 1, statement.size());
  } else if (statement.substr(0, 2) == "[[") {
    end = statement.find("]]") == npos ? npos : statement.find("]]") + 2;
  }
  if (end == npos)
    return false;
  statement = trim(statement.substr(end));
  return true;
}

bool is_allowed_left_side(std::string_view left) {
  if (left.empty() || left == "co_return")
    return true;
  if (left.back() != '=' || left.find_first_of("({?") != npos)
    return false;
  // auto [a, b] = ..., auto& [a, b] = ...
  auto bracket = left.find('[');
  auto before = trim(left.substr(0, bracket == npos ? 0 : bracket));
  while (!before.empty() && before.back() == '&')
    before = trim(before.substr(0, before.size() - 1));
  return word_before(before, before.size()) != "auto";
}

bool has_lambda(std::string_view expression) {
  for (auto at = expression.find('['); at != npos;
       at = expression.find('[', at + 1)) {
    auto before = trim(expression.substr(0, at));
    if (before.empty() || contains("(,=", before.substr(before.size() - 1)))
      return true;
  }
  return false;
}

std::string fault_of(std::string_view statement, std::size_t await) {
  constexpr auto token = std::string_view{"co_await"};
  auto left = trim(statement.substr(0, await));
  auto right = trim(statement.substr(await + token.size()));
  while (drop_control(left)) {
    // nop
  }
  if (!find_words(left, token).empty() || !find_words(right, token).empty())
    return "one co_await a statement";
  for (auto piece : {"{", "?", "&&", "||"})
    if (contains(left, piece) || contains(right, piece))
      return "no { ? && || in the statement of a co_await: name it first";
  if (has_lambda(right))
    return "no lambda in the statement of a co_await: name it first";
  if (!is_allowed_left_side(left))
    return "a co_await stands alone, right of a plain =, or after co_return";
  return {};
}

} // namespace

std::vector<offence> check_awaits(std::string_view code) {
  auto result = std::vector<offence>{};
  for (auto at : find_words(code, "co_await")) {
    if (word_before(code, at) == "operator")
      continue;
    auto begin = statement_begin(code, at);
    auto end = statement_end(code, at);
    auto statement = code.substr(begin, end - begin);
    auto rule = code.substr(end, 1) == "}"
                  ? std::string{"no co_await in braces: name it first"}
                  : fault_of(statement, at - begin);
    if (!rule.empty())
      result.push_back({at, std::move(rule)});
  }
  return result;
}

namespace {

// -- lambdas -----------------------------------------------------------------

// Whether the [ at `open` begins a lambda: an index follows a name or a
// closing bracket, and an attribute is doubled.
bool begins_lambda(std::string_view code, std::size_t open) {
  auto is_attribute = code.substr(open, 2) == "[["
                      || (open > 0 && code[open - 1] == '[');
  if (is_attribute)
    return false;
  auto word = word_before(code, open);
  if (!word.empty())
    return is_one_of(word, {"return", "co_return", "co_yield", "co_await",
                            "else", "do", "throw", "case"});
  auto before = trim(code.substr(0, open));
  return before.empty() || !contains(")]", before.substr(before.size() - 1));
}

// The body of the lambda whose captures begin at `open`; empty where there is
// none (a structured binding).
std::string_view lambda_body(std::string_view code, std::size_t open) {
  auto close = closing(code, open);
  if (close == npos)
    return {};
  auto at = skip_space(code, close + 1);
  for (auto bracket : {'<', '('}) {
    if (at < code.size() && code[at] == bracket) {
      close = closing(code, at);
      if (close == npos)
        return {};
      at = skip_space(code, close + 1);
    }
  }
  auto begin = code.find_first_of("{;,)=", at);
  if (begin == npos || code[begin] != '{')
    return {};
  auto end = closing(code, begin);
  return code.substr(begin, end == npos ? npos : end - begin);
}

bool is_coroutine(std::string_view body) {
  constexpr auto words
    = std::array<std::string_view, 3>{"co_await", "co_return", "co_yield"};
  return std::any_of(words.begin(), words.end(), [body](auto word) {
    return !find_words(body, word).empty();
  });
}

// -- parameters --------------------------------------------------------------

// Whether a parameter list has a reference of its own, that is one that is not
// inside the angle brackets or parentheses of a parameter's type.
bool has_reference(std::string_view parameters) {
  auto depth = 0;
  for (auto x : parameters) {
    depth += x == '<' || x == '(' ? 1 : 0;
    depth -= x == '>' || x == ')' ? 1 : 0;
    if (x == '&' && depth == 0)
      return true;
  }
  return false;
}

// The parameters of the function that returns the `task` at `at`; empty where
// it is no function.
std::string_view parameters_after(std::string_view code, std::size_t at) {
  auto open = skip_space(code, at + std::string_view{"task"}.size());
  if (open >= code.size() || code[open] != '<')
    return {};
  auto close = closing(code, open);
  if (close == npos)
    return {};
  auto name = skip_space(code, close + 1);
  auto end = name;
  while (end < code.size() && (is_name_char(code[end]) || code[end] == ':'))
    ++end;
  end = skip_space(code, end);
  if (end == name || end >= code.size() || code[end] != '(')
    return {};
  close = closing(code, end);
  return close == npos ? std::string_view{}
                       : code.substr(end + 1, close - end - 1);
}

} // namespace

std::vector<offence> check_coroutine_functions(std::string_view code) {
  auto result = std::vector<offence>{};
  for (auto at = code.find('['); at != npos; at = code.find('[', at + 1))
    if (begins_lambda(code, at) && is_coroutine(lambda_body(code, at)))
      result.push_back({at, "a coroutine is a named function, not a lambda"});
  for (auto at : find_words(code, "task"))
    if (has_reference(parameters_after(code, at)))
      result.push_back({at, "a coroutine takes its parameters by value"});
  return result;
}

} // namespace troupe::test
