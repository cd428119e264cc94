#include "troupe/sandbox/workspace_path.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/utf8.hpp"

#include <algorithm>
#include <optional>

namespace troupe {

namespace {

bool begins_with_home(std::string_view text) {
  return text == "~" || text.starts_with("~/");
}

constexpr auto scheme = std::string_view{"workspace://"};
constexpr auto max_path = size_t{4096};
constexpr auto max_part = size_t{255};

caf::error refuse(std::string_view text, std::string_view why) {
  return make_error(errc::tool, in_quotes(text) + std::string{why});
}

bool is_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9');
}

// "file://…" and "WORKSPACE://…" would otherwise become odd relative paths.
bool has_scheme(std::string_view text) noexcept {
  auto end = text.find("://");
  return end != std::string_view::npos && end > 0
         && std::all_of(text.begin(), text.begin() + static_cast<int>(end),
                        is_alphanumeric);
}

// The first reason to refuse `text`, whatever it is relative to.
std::optional<std::string_view> find_fault(std::string_view text) noexcept {
  if (text.find('\0') != std::string_view::npos)
    return " contains a NUL character";
  if (text.size() > max_path)
    return " is too long: a path has at most 4096 bytes";
  if (text.starts_with('/'))
    return " is absolute: paths are relative to the workspace root";
  if (begins_with_home(text))
    return ": ~ is not expanded, paths are relative to the workspace root";
  if (has_scheme(text))
    return " is not a path of the workspace: write a relative path or "
           "workspace://NAME/…";
  return std::nullopt;
}

// Splits off the part before the first '/'.
std::string_view take_part(std::string_view& rest) noexcept {
  auto end = std::min(rest.find('/'), rest.size());
  auto part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

void drop_last_part(std::string& path) {
  auto slash = path.rfind('/');
  path.erase(slash == std::string::npos ? 0 : slash);
}

caf::expected<std::string> normalize(std::string_view text,
                                     std::string_view rest) {
  auto result = std::string{};
  while (!rest.empty()) {
    auto part = take_part(rest);
    if (part.empty() || part == ".")
      continue;
    if (part.size() > max_part)
      return refuse(text, " has a part that is too long: at most 255 bytes");
    if (part != "..") {
      result.append(result.empty() ? "" : "/").append(part);
      continue;
    }
    if (result.empty())
      return refuse(text, " leaves the workspace");
    drop_last_part(result);
  }
  return result;
}

} // namespace

caf::expected<workspace_path> parse_workspace_path(std::string_view text) {
  auto result = workspace_path{};
  auto rest = text;
  if (rest.starts_with(scheme)) {
    rest.remove_prefix(scheme.size());
    result.name = std::string{take_part(rest)};
    if (!is_workspace_name(result.name))
      return refuse(text, " has no valid name after workspace://");
    // What follows a name may start with more slashes: they are empty parts.
    while (rest.starts_with('/'))
      rest.remove_prefix(1);
    if (rest.size() > max_path || rest.find('\0') != std::string_view::npos)
      return refuse(text, *find_fault(rest));
  } else if (auto fault = find_fault(text)) {
    return refuse(text, *fault);
  }
  auto relative = normalize(text, rest);
  if (!relative)
    return relative.error();
  result.relative = std::move(*relative);
  return result;
}

std::string to_string(const workspace_path& path) {
  // A file may be called "~", but only where that cannot mean a home.
  if (begins_with_home(path.relative) && path.name == "root")
    return "./" + path.relative;
  if (path.name == "root")
    return path.relative.empty() ? "." : path.relative;
  auto result = std::string{scheme} + path.name;
  if (!path.relative.empty())
    result.append("/").append(path.relative);
  return result;
}

bool is_workspace_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= max_part
         && std::all_of(name.begin(), name.end(), [](char c) {
              return is_alphanumeric(c) || c == '_' || c == '-';
            });
}

std::string in_quotes(std::string_view text) {
  constexpr auto most = size_t{200};
  auto cut = text.size() > most;
  auto shown = repair_utf8(text.substr(0, most));
  return "\"" + shown + (cut ? "…\"" : "\"");
}

} // namespace troupe
