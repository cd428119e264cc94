#include "troupe/sandbox/memory_tree.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/scoped_open.hpp"

#include <cerrno>

namespace troupe {

namespace {

// What a file costs beside its bytes: many empty ones must not be free.
constexpr auto overhead = uint64_t{128};

} // namespace

memory_tree::memory_tree(uint64_t capacity) : capacity_(capacity) {
  // nop
}

caf::error memory_tree::read(const tree_path& path, const byte_sink& sink) {
  auto found = files_.find(path.relative);
  if (found == files_.end())
    return missing(path);
  // A sink that wants no more has what it needs: one piece is all there is.
  sink(found->second);
  return {};
}

caf::error memory_tree::list(const tree_path& path, const entry_sink& sink) {
  if (!is_directory(path.relative))
    return path_error(files_.count(path.relative) > 0 ? ENOTDIR : ENOENT,
                      path.spelling);
  auto prefix = path.relative.empty() ? "" : path.relative + "/";
  auto at = files_.lower_bound(prefix);
  while (at != files_.end() && at->first.starts_with(prefix)) {
    auto rest = std::string_view{at->first}.substr(prefix.size());
    auto name = rest.substr(0, rest.find('/'));
    auto entry = tree_entry{std::string{name}, entry_kind::file,
                            at->second.size()};
    ++at;
    if (name.size() < rest.size()) {
      entry.kind = entry_kind::directory;
      entry.bytes = 0;
      // '0' follows '/': the first path after everything in the directory.
      at = files_.lower_bound(prefix + entry.name + "0");
    }
    if (!sink(std::move(entry)))
      break;
  }
  return {};
}

caf::expected<write_outcome> memory_tree::write(const tree_path& path,
                                                std::string_view content,
                                                const std::string&) {
  if (is_directory(path.relative))
    return path_error(EISDIR, path.spelling);
  if (leads_through_file(path.relative))
    return path_error(ENOTDIR, path.spelling);
  auto found = files_.find(path.relative);
  auto is_new = found == files_.end();
  auto before = is_new ? 0 : found->second.size();
  auto after = content.size() + (is_new ? path.relative.size() + overhead : 0);
  if (used_ - before + after > capacity_)
    return make_error(errc::tool, "the files in memory would exceed "
                                    + std::to_string(capacity_) + " bytes");
  used_ = used_ - before + after;
  files_.insert_or_assign(path.relative, std::string{content});
  return is_new ? write_outcome::created : write_outcome::replaced;
}

bool memory_tree::guards_overwrites() const {
  return false;
}

bool memory_tree::is_directory(const std::string& path) const {
  if (path.empty())
    return true;
  auto next = files_.lower_bound(path + "/");
  return next != files_.end() && next->first.starts_with(path + "/");
}

caf::error memory_tree::missing(const tree_path& path) const {
  if (is_directory(path.relative))
    return path_error(EISDIR, path.spelling);
  return path_error(leads_through_file(path.relative) ? ENOTDIR : ENOENT,
                    path.spelling);
}

bool memory_tree::leads_through_file(const std::string& path) const {
  for (auto slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    if (files_.count(path.substr(0, slash)) > 0)
      return true;
  return false;
}

} // namespace troupe
