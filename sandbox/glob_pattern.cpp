#include "troupe/sandbox/glob_pattern.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/brace_expansion.hpp"
#include "troupe/sandbox/utf8.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr auto max_pattern = size_t{1024};
constexpr auto max_alternatives = size_t{64};

caf::error refuse(std::string_view text, std::string_view why) {
  return make_error(errc::tool, in_quotes(text) + std::string{why});
}

} // namespace

caf::expected<glob_pattern> glob_pattern::parse(std::string_view text,
                                                hidden_names hidden) {
  if (text.size() > max_pattern)
    return refuse(text, " is too long: a pattern has at most 1024 bytes");
  if (text.find('\0') != std::string_view::npos)
    return refuse(text, " contains a NUL character");
  if (text.starts_with('/'))
    return refuse(text, " is absolute: patterns are relative");
  auto alternatives = expand_braces(decode_utf8(text), max_alternatives);
  if (!alternatives)
    return refuse(text, " has too many alternatives: at most 64");
  auto result = glob_pattern{};
  result.hidden_ = hidden;
  result.wants_directories_ = text.ends_with('/');
  for (const auto& alternative : *alternatives)
    if (auto failed = result.add_alternative(alternative))
      return refuse(text, to_fault(failed).message);
  return result;
}

caf::error glob_pattern::add_alternative(const std::u32string& text) {
  auto first = parts_.size();
  for (auto at = size_t{0}; at < text.size();) {
    auto end = std::min(text.find(U'/', at), text.size());
    auto piece = text.substr(at, end - at);
    at = end + 1;
    if (piece.empty() || piece == U".")
      continue;
    if (piece == U"..")
      return make_error(errc::tool, " contains \"..\": patterns stay beneath "
                                    "their directory");
    if (auto failed = add_part(piece))
      return failed;
  }
  if (parts_.size() == first)
    return make_error(errc::tool, " matches nothing: it has no name");
  // "a/**" is what lies in a, not a itself.
  if (parts_.back().what == part::kind::directories)
    if (auto failed = add_part(U"*"))
      return failed;
  parts_.push_back(part{part::kind::end, false, false, {}});
  starts_.push_back(static_cast<uint32_t>(first));
  return {};
}

caf::error glob_pattern::add_part(const std::u32string& text) {
  auto result = part{};
  if (text == U"**")
    result.what = part::kind::directories;
  result.hidden = text.starts_with(U'.') || text.starts_with(U"\\.");
  result.git = text == U".git";
  for (auto at = size_t{0}; at < text.size(); ++at) {
    auto next = token{};
    if (text[at] == U'*')
      next.what = token::kind::any_run;
    else if (text[at] == U'?')
      next.what = token::kind::any;
    else if (text[at] == U'[') {
      if (auto failed = read_set(text, at, next))
        return failed;
    } else {
      if (text[at] == U'\\' && at + 1 < text.size())
        ++at;
      next.character = text[at];
    }
    result.tokens.push_back(std::move(next));
  }
  parts_.push_back(std::move(result));
  return {};
}

// Reads "[!a-z]" and leaves `at` on its last character.
caf::error glob_pattern::read_set(const std::u32string& text, size_t& at,
                                  token& result) {
  result.what = token::kind::set;
  auto i = at + 1;
  result.negated = i < text.size() && (text[i] == U'!' || text[i] == U'^');
  i += result.negated ? 1 : 0;
  // A ']' that comes first is one of the characters.
  for (auto first = i; i < text.size(); ++i) {
    if (text[i] == U']' && i > first) {
      at = i;
      return {};
    }
    i += text[i] == U'\\' && i + 1 < text.size() ? 1 : 0;
    auto low = text[i];
    auto is_range = i + 2 < text.size() && text[i + 1] == U'-'
                    && text[i + 2] != U']';
    i += is_range ? 2 : 0;
    result.ranges.emplace_back(low, text[i]);
  }
  return make_error(errc::tool, " has a \"[\" without its \"]\"");
}

glob_pattern::positions glob_pattern::start() const {
  auto result = positions{};
  for (auto position : starts_)
    reach(result, position);
  return result;
}

glob_pattern::positions glob_pattern::step(const positions& from,
                                           std::string_view name) const {
  auto result = positions{};
  auto characters = decode_utf8(name);
  for (auto position : from) {
    const auto& x = parts_[position];
    if (x.what == part::kind::end || hides(x, name))
      continue;
    if (x.what == part::kind::directories)
      reach(result, position);
    else if (matches_part(x, characters))
      reach(result, position + 1);
  }
  return result;
}

bool glob_pattern::accepts(const positions& at) const {
  return std::any_of(at.begin(), at.end(), [this](uint32_t position) {
    return parts_[position].what == part::kind::end;
  });
}

bool glob_pattern::continues(const positions& at) const {
  return std::any_of(at.begin(), at.end(), [this](uint32_t position) {
    return parts_[position].what != part::kind::end;
  });
}

bool glob_pattern::matches(std::string_view path) const {
  auto at = start();
  while (!path.empty() && !at.empty()) {
    auto end = std::min(path.find('/'), path.size());
    at = step(at, path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return accepts(at);
}

bool glob_pattern::hides(const part& x, std::string_view name) const {
  if (hidden_ == hidden_names::included || !name.starts_with('.'))
    return false;
  return name == ".git" ? !x.git : !x.hidden;
}

// Adds a position, and those that "**" standing for no directory leads to.
void glob_pattern::reach(positions& to, uint32_t position) const {
  for (;; ++position) {
    if (std::find(to.begin(), to.end(), position) != to.end())
      return;
    to.push_back(position);
    if (parts_[position].what != part::kind::directories)
      return;
  }
}

bool glob_pattern::matches_token(const token& x, char32_t c) {
  if (x.what == token::kind::character)
    return x.character == c;
  if (x.what != token::kind::set)
    return true;
  auto found = std::any_of(x.ranges.begin(), x.ranges.end(), [c](auto range) {
    return range.first <= c && c <= range.second;
  });
  return found != x.negated;
}

// A mismatch goes back to the last run only: an earlier one need not take more,
// for the later one can take anything too.
bool glob_pattern::matches_part(const part& x, const std::u32string& name) {
  const auto& tokens = x.tokens;
  auto token_at = size_t{0};
  auto name_at = size_t{0};
  auto run = tokens.size();
  auto run_end = size_t{0};
  while (name_at < name.size()) {
    auto is_run = token_at < tokens.size()
                  && tokens[token_at].what == token::kind::any_run;
    if (is_run) {
      run = token_at++;
      run_end = name_at;
    } else if (token_at < tokens.size()
               && matches_token(tokens[token_at], name[name_at])) {
      ++token_at;
      ++name_at;
    } else if (run < tokens.size()) {
      token_at = run + 1;
      name_at = ++run_end;
    } else {
      return false;
    }
  }
  while (token_at < tokens.size()
         && tokens[token_at].what == token::kind::any_run)
    ++token_at;
  return token_at == tokens.size();
}

} // namespace troupe
