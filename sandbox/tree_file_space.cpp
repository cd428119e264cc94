#include "troupe/sandbox/tree_file_space.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/line_range.hpp"
#include "troupe/sandbox/sha256.hpp"
#include "troupe/sandbox/text_replacement.hpp"
#include "troupe/sandbox/utf8.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

constexpr auto binary_probe = size_t{8} << 10;
constexpr auto default_matches = uint64_t{200};
// Bytes one grep reads in all, in files of the largest size.
constexpr auto scanned_files = uint64_t{16};

/// Looks for a NUL where a file begins.
class binary_check {
public:
  /// False as soon as the file is known to be binary.
  bool feed(std::string_view piece) {
    auto part = piece.substr(0, binary_probe - seen_);
    seen_ += part.size();
    found_ = found_ || part.find('\0') != std::string_view::npos;
    return !found_;
  }

  bool found() const noexcept {
    return found_;
  }

private:
  size_t seen_ = 0;
  bool found_ = false;
};

caf::error binary_error(const std::string& path) {
  return make_error(errc::tool, in_quotes(path) + " is a binary file");
}

bool is_directory(const mounted_trees::target& x) {
  return !x.tree->list(x.path, [](tree_entry) { return false; });
}

std::string name_of(entry_kind kind) {
  switch (kind) {
    case entry_kind::file:
      return "file";
    case entry_kind::directory:
      return "directory";
    case entry_kind::link:
      return "link";
    default:
      return "other";
  }
}

} // namespace

/// One grep on its way.
struct tree_file_space::search {
  line_search& expression;
  uint64_t most;
  uint64_t bytes;
  time_budget time;
  grep_result result;
};

tree_file_space::tree_file_space(mounted_trees files, sandbox_limits limits)
  : files_(std::move(files)),
    limits_(limits) {
  // nop
}

caf::expected<read_file_result>
tree_file_space::read(const read_file_request& x) {
  auto from = find(x.path);
  if (!from)
    return from.error();
  auto lines = line_range{x.offset, x.limit, limits_.read};
  auto sum = sha256{};
  auto binary = binary_check{};
  auto failed = read_bounded(*from, [&](std::string_view piece) {
    lines.feed(piece);
    sum.update(piece);
    return binary.feed(piece);
  });
  if (failed)
    return failed;
  if (binary.found())
    return binary_error(from->path.spelling);
  auto digest = sum.finish();
  if (!digest)
    return digest.error();
  auto content = lines.take_content();
  return read_file_result{std::move(content), lines.total(), lines.is_cut(),
                          from->canonical, std::move(*digest)};
}

caf::expected<list_files_result>
tree_file_space::list(const list_files_request& x) {
  auto from = find(x.path);
  if (!from)
    return from.error();
  auto result = list_files_result{};
  auto failed = from->tree->list(from->path, [&](tree_entry entry) {
    result.truncated = result.entries.size() >= limits_.list;
    if (!result.truncated)
      result.entries.push_back(
        listed_file{repair_utf8(entry.name), name_of(entry.kind), entry.bytes});
    return !result.truncated;
  });
  if (failed)
    return failed;
  std::sort(result.entries.begin(), result.entries.end(),
            [](const auto& l, const auto& r) { return l.name < r.name; });
  return result;
}

caf::expected<glob_result> tree_file_space::glob(const glob_request& x) {
  auto base = parse_workspace_path(x.path);
  if (!base)
    return base.error();
  auto pattern = glob_pattern::parse(x.pattern);
  if (!pattern)
    return pattern.error();
  auto result = glob_result{};
  auto walk = tree_walk{files_, *pattern, bounds()};
  auto end = walk.run(*base, [&](const workspace_path& path) {
    if (result.paths.size() >= limits_.list)
      return false;
    result.paths.push_back(repair_utf8(to_string(path)));
    return true;
  });
  if (!end)
    return end.error();
  result.truncated = *end == walk_end::cut;
  return result;
}

caf::expected<grep_result> tree_file_space::grep(const grep_request& x) {
  auto base = parse_workspace_path(x.path);
  if (!base)
    return base.error();
  auto from = files_.find(*base);
  if (!from)
    return from.error();
  auto expression = line_search::make(x.pattern);
  if (!expression)
    return expression.error();
  auto most = std::min<uint64_t>(x.max == 0 ? default_matches : x.max,
                                 limits_.list);
  auto in = search{**expression,
                   most,
                   scanned_files * limits_.file,
                   time_budget{limits_.wall},
                   {}};
  if (is_directory(*from)) {
    if (auto failed = search_tree(in, *base, x.glob))
      return failed;
  } else {
    auto text = load(*from);
    if (!text)
      return text.error();
    in.result.truncated = !in.expression.run(from->path.spelling, *text, most,
                                             in.time, in.result.matches);
  }
  return std::move(in.result);
}

caf::expected<write_file_result>
tree_file_space::write(const write_file_request& x) {
  auto to = find_writable(x.path);
  if (!to)
    return to.error();
  if (auto failed = check_size(x.path, x.content.size()))
    return failed;
  auto digest = sha256_of(x.content);
  if (!digest)
    return digest.error();
  auto outcome = to->tree->write(to->path, x.content, x.known.digest);
  if (!outcome)
    return outcome.error();
  return write_file_result{x.content.size(), *outcome == write_outcome::created,
                           to->canonical, std::move(*digest)};
}

caf::expected<replace_in_file_result>
tree_file_space::replace(const replace_in_file_request& x) {
  auto at = find_writable(x.path);
  if (!at)
    return at.error();
  auto text = load(*at);
  if (!text)
    return text.error();
  if (at->tree->guards_overwrites()) {
    auto current = sha256_of(*text);
    if (!current)
      return current.error();
    if (auto failed = check_overwrite(at->path.spelling, x.known.digest,
                                      *current))
      return failed;
  }
  if (auto failed = check_size(x.path, x.new_text.size()))
    return failed;
  auto replaced = replace_text(x, *text, limits_.file);
  if (!replaced)
    return replaced.error();
  auto digest = sha256_of(replaced->text);
  if (!digest)
    return digest.error();
  auto outcome = at->tree->write(at->path, replaced->text, x.known.digest);
  if (!outcome)
    return outcome.error();
  return replace_in_file_result{replaced->count, at->canonical,
                                std::move(*digest)};
}

caf::expected<mounted_trees::target>
tree_file_space::find(const std::string& path) const {
  auto parsed = parse_workspace_path(path);
  if (!parsed)
    return parsed.error();
  return files_.find(*parsed);
}

caf::expected<mounted_trees::target>
tree_file_space::find_writable(const std::string& path) const {
  auto result = find(path);
  if (result && result->access != file_access::read_write)
    return make_error(errc::policy,
                      in_quotes(path) + " is read-only in this sandbox");
  return result;
}

caf::error tree_file_space::read_bounded(const mounted_trees::target& from,
                                         const byte_sink& sink) const {
  auto bytes = uint64_t{0};
  auto failed = from.tree->read(from.path, [&](std::string_view piece) {
    bytes += piece.size();
    return bytes <= limits_.file && sink(piece);
  });
  if (!failed && bytes > limits_.file)
    return make_error(errc::tool, in_quotes(from.path.spelling)
                                    + " has more than the "
                                    + std::to_string(limits_.file)
                                    + " bytes that a file may have here");
  return failed;
}

// A text file whole, byte for byte.
caf::expected<std::string>
tree_file_space::load(const mounted_trees::target& from) const {
  auto result = std::string{};
  auto binary = binary_check{};
  auto failed = read_bounded(from, [&](std::string_view piece) {
    result += piece;
    return binary.feed(piece);
  });
  if (failed)
    return failed;
  if (binary.found())
    return binary_error(from.path.spelling);
  return result;
}

caf::error tree_file_space::check_size(const std::string& path,
                                       uint64_t bytes) const {
  auto most = std::min(limits_.write, limits_.file);
  if (bytes <= most)
    return {};
  return make_error(errc::tool, std::to_string(bytes) + " bytes for "
                                  + in_quotes(path) + " are too many: at most "
                                  + std::to_string(most)
                                  + " are written at once");
}

walk_bounds tree_file_space::bounds() const {
  auto result = walk_bounds{.time = time_budget{limits_.wall}};
  result.directory = limits_.list;
  return result;
}

// Searches one file of a walk; false ends the search. What cannot be read as
// text is passed over.
bool tree_file_space::scan(search& in, const workspace_path& path) const {
  auto from = files_.find(path);
  auto text = from ? load(*from) : caf::expected<std::string>{from.error()};
  if (!text)
    return true;
  if (text->size() > in.bytes)
    return false;
  in.bytes -= text->size();
  return in.expression.run(repair_utf8(to_string(path)), *text, in.most,
                           in.time, in.result.matches);
}

caf::error tree_file_space::search_tree(search& in, const workspace_path& base,
                                        const std::string& glob) const {
  // As everywhere, a glob without a directory is for the name alone.
  auto anywhere = glob.find('/') == std::string::npos;
  auto pattern = glob_pattern::parse((anywhere ? "**/" : "")
                                     + (glob.empty() ? "*" : glob));
  if (!pattern)
    return pattern.error();
  auto walk = tree_walk{files_, *pattern, bounds()};
  auto end = walk.run(base, [&](const workspace_path& path) {
    return scan(in, path);
  });
  if (!end)
    return end.error();
  in.result.truncated = *end == walk_end::cut;
  return {};
}

} // namespace troupe
