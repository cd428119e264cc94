#include "troupe/sandbox/remote/remote_tree.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/scoped_open.hpp"
#include "troupe/sandbox/sha256.hpp"

#include <cerrno>
#include <charconv>
#include <utility>

namespace troupe {

namespace {

// A letter, a size and a name for each entry, each with its NUL; of as many as
// are wanted.
constexpr auto script = R"sh(test -e "./$1" || exit 3
test -d "./$1" || exit 4
cd "./$1" || exit 5
n=$2
for f in .* *; do
  case $f in .|..) continue;; esac
  test $n -gt 0 || exit 0
  n=$((n - 1))
  if test -h "$f"; then printf 'l0 %s\0' "$f"
  elif test -d "$f"; then printf 'd0 %s\0' "$f"
  elif test -f "$f"; then printf 'f%d %s\0' "$(wc -c < "$f")" "$f"
  elif test -e "$f"; then printf 'o0 %s\0' "$f"
  fi
done)sh";

// The longest name there is, and what stands before it.
constexpr auto most_of_entry = uint64_t{256 + 32};

entry_kind kind_of(char letter) {
  switch (letter) {
    case 'f':
      return entry_kind::file;
    case 'd':
      return entry_kind::directory;
    case 'l':
      return entry_kind::link;
    default:
      return entry_kind::other;
  }
}

// False when there is no entry there.
bool parse_entry(std::string_view text, tree_entry& to) {
  auto blank = text.find(' ');
  if (blank == text.npos || blank < 2)
    return false;
  to.kind = kind_of(text.front());
  const auto* end = text.data() + blank;
  auto number = std::from_chars(text.data() + 1, end, to.bytes);
  to.name = text.substr(blank + 1);
  return number.ec == std::errc{} && number.ptr == end && !to.name.empty()
         && to.name != "." && to.name != ".."
         && to.name.find('/') == to.name.npos;
}

} // namespace

remote_tree::remote_tree(std::shared_ptr<remote_calls> calls, uint64_t largest,
                         uint64_t entries)
  : calls_(std::move(calls)),
    largest_(largest),
    entries_(entries) {
  // nop
}

caf::error remote_tree::read(const tree_path& path, const byte_sink& sink) {
  auto text = calls_->read(path.relative, largest_);
  if (!text)
    return std::move(text.error());
  sink(*text);
  return {};
}

caf::error remote_tree::list(const tree_path& path, const entry_sink& sink) {
  auto command = remote_command{};
  command.argv = {"sh",
                  "-c",
                  script,
                  "sh",
                  path.relative.empty() ? "." : path.relative,
                  std::to_string(entries_ + 1)};
  command.timeout = std::chrono::seconds{30};
  command.output = (entries_ + 1) * most_of_entry;
  auto answer = calls_->exec(command);
  if (!answer)
    return std::move(answer.error());
  if (answer->status == 3)
    return path_error(ENOENT, path.spelling);
  if (answer->status == 4)
    return path_error(ENOTDIR, path.spelling);
  if (answer->status != 0 && !answer->truncated)
    return path_error(EACCES, path.spelling);
  auto rest = std::string_view{answer->stdout_text};
  // What was cut off has no end.
  for (auto end = rest.find('\0'); end != rest.npos; end = rest.find('\0')) {
    auto entry = tree_entry{};
    if (!parse_entry(rest.substr(0, end), entry))
      return make_error(errc::sandbox,
                        "the remote sandbox lists what is no file");
    rest.remove_prefix(end + 1);
    if (!sink(std::move(entry)))
      break;
  }
  return {};
}

caf::expected<write_outcome> remote_tree::write(const tree_path& path,
                                                std::string_view content,
                                                const std::string& known) {
  if (path.relative.empty())
    return path_error(EISDIR, path.spelling);
  auto before = calls_->read(path.relative, largest_);
  if (!before && to_fault(before.error()).kind != errc::tool)
    return std::move(before.error());
  if (before) {
    auto digest = sha256_of(*before);
    if (!digest)
      return std::move(digest.error());
    if (auto failed = check_overwrite(path.spelling, known, *digest))
      return failed;
  }
  if (auto failed = calls_->write(path.relative, std::string{content}))
    return failed;
  return before ? write_outcome::replaced : write_outcome::created;
}

bool remote_tree::guards_overwrites() const {
  return true;
}

} // namespace troupe
