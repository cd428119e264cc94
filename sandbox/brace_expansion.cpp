#include "troupe/sandbox/brace_expansion.hpp"

#include <utility>

namespace troupe {

namespace {

/// The first group of a text: where it opens, its commas, where it closes.
struct brace_group {
  size_t open = 0;
  std::vector<size_t> cuts;
};

// The group that opens at `open`, if it closes and has a comma.
std::optional<brace_group> read_group(const std::u32string& text, size_t open) {
  auto result = brace_group{open, {open}};
  auto depth = 0;
  for (auto i = open; i < text.size(); ++i) {
    if (text[i] == U'\\')
      ++i;
    else if (text[i] == U'{')
      ++depth;
    else if (text[i] == U',' && depth == 1)
      result.cuts.push_back(i);
    else if (text[i] == U'}' && --depth == 0) {
      result.cuts.push_back(i);
      break;
    }
  }
  if (depth != 0 || result.cuts.size() < 3)
    return std::nullopt;
  return result;
}

std::optional<brace_group> find_group(const std::u32string& text, size_t from) {
  for (auto i = from; i < text.size(); ++i) {
    if (text[i] == U'\\')
      ++i;
    else if (text[i] == U'{')
      if (auto group = read_group(text, i))
        return group;
  }
  return std::nullopt;
}

/// A text whose groups before `done` are expanded.
struct partial {
  std::u32string text;
  size_t done = 0;
};

} // namespace

std::optional<std::vector<std::u32string>>
expand_braces(const std::u32string& text, size_t most) {
  auto result = std::vector<std::u32string>{};
  // A stack instead of recursion; the last one on it comes first.
  auto open = std::vector<partial>{{text, 0}};
  while (!open.empty()) {
    if (result.size() + open.size() > most)
      return std::nullopt;
    auto [current, done] = std::move(open.back());
    open.pop_back();
    auto group = find_group(current, done);
    if (!group) {
      result.push_back(std::move(current));
      continue;
    }
    auto head = current.substr(0, group->open);
    auto tail = current.substr(group->cuts.back() + 1);
    for (auto i = group->cuts.size() - 1; i > 0; --i) {
      auto first = group->cuts[i - 1] + 1;
      auto next = head;
      next.append(current, first, group->cuts[i] - first).append(tail);
      open.push_back({std::move(next), group->open});
    }
  }
  return result;
}

} // namespace troupe
