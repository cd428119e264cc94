#include "troupe/sandbox/glob_pattern.hpp"
#include "troupe/sandbox/utf8.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace troupe;

namespace {

void check(bool x) {
  if (!x)
    std::abort();
}

// Whether `path` names something beneath a directory and nothing else.
bool stays_beneath(std::string_view path) {
  if (path.find('\0') != path.npos)
    return false;
  while (!path.empty()) {
    auto part = path.substr(0, path.find('/'));
    if (part.empty() || part == "." || part == "..")
      return false;
    path.remove_prefix(part.size());
    if (path == "/")
      return false;
    if (!path.empty())
      path.remove_prefix(1);
  }
  return true;
}

void check_path(std::string_view text) {
  auto path = parse_workspace_path(text);
  if (!path)
    return;
  check(is_workspace_name(path->name) && stays_beneath(path->relative));
  auto again = parse_workspace_path(to_string(*path));
  check(again && again->name == path->name
        && again->relative == path->relative);
}

// A walk sees what a match of the whole path sees.
void check_glob(std::string_view text, std::string_view path) {
  for (auto hidden : {hidden_names::explicit_only, hidden_names::included}) {
    auto pattern = glob_pattern::parse(text, hidden);
    if (!pattern || !stays_beneath(path) || path.empty())
      continue;
    auto at = pattern->start();
    auto rest = path;
    while (!rest.empty()) {
      auto part = rest.substr(0, rest.find('/'));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      at = pattern->step(at, part);
      check(!at.empty() || !pattern->accepts(at));
    }
    check(pattern->accepts(at) == pattern->matches(path));
  }
}

} // namespace

// Up to the first line's end a pattern, behind it a path.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = std::string_view{reinterpret_cast<const char*>(data), size};
  auto end = text.find('\n');
  auto path = end == text.npos ? text : text.substr(end + 1);
  check_path(path);
  check_glob(text.substr(0, end), path);
  check(repair_utf8(in_quotes(path)) == in_quotes(path));
  return 0;
}
