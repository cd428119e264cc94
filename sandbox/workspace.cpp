#include "troupe/sandbox/workspace.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/scoped_open.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

namespace fs = std::filesystem;

std::string describe(int code) {
  return std::generic_category().message(code);
}

std::string key_of(const std::string& name) {
  return name == "root" ? "workspace.root" : "workspace.paths." + name;
}

bool same_file(const struct stat& x, const struct stat& y) noexcept {
  return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// Opens a directory that the operator named: links in it are his.
caf::expected<workspace::directory> open_named(const std::string& name,
                                               const std::string& path) {
  auto fd = unique_fd{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!fd)
    return make_error(errc::configuration,
                      in_quotes(path) + ": " + describe(errno), key_of(name),
                      "name an existing directory");
  auto failed = std::error_code{};
  auto real = fs::canonical(path, failed);

  struct stat opened{};

  struct stat found{};

  if (failed || ::fstat(fd.get(), &opened) != 0
      || ::lstat(real.c_str(), &found) != 0 || !same_file(opened, found))
    return make_error(errc::sandbox,
                      in_quotes(path) + " changed while it was opened",
                      key_of(name));
  return workspace::directory{real.string(), fd.release()};
}

// Creates and opens a named path beneath the root, never through a link.
caf::expected<workspace::directory>
open_beneath_root(const std::string& name, const std::string& path,
                  const workspace::directory& root) {
  auto parsed = parse_workspace_path(path);
  if (!parsed)
    return make_error(errc::configuration, to_fault(parsed.error()).message,
                      key_of(name));
  if (parsed->name != "root" || parsed->relative.empty())
    return make_error(errc::configuration,
                      in_quotes(path) + " names no directory beneath the root",
                      key_of(name));
  // What is stored for a run is nobody else's business.
  auto mode = mode_t{name == "artifacts" ? 0700u : 0777u};
  auto fd = make_directories(root.descriptor, parsed->relative, mode);
  if (!fd)
    return make_error(errc::configuration,
                      to_fault(path_error(errno, path)).message, key_of(name));
  return workspace::directory{root.path + "/" + parsed->relative, fd.release()};
}

// A function of the application's, and what it throws as an error.
caf::error call(const std::string& what, const std::function<void()>& f) {
  auto why = std::string{};
  try {
    if (f)
      f();
    return {};
  } catch (const std::exception& caught) {
    why = caught.what();
  } catch (...) {
    why = "an exception of an unknown type";
  }
  return make_error(errc::sandbox,
                    "the " + what + " of the workspace failed: " + why);
}

} // namespace

caf::expected<std::shared_ptr<workspace>>
workspace::open(const workspace_settings& settings, const std::string& base,
                workspace_callbacks callbacks) {
  auto result = std::shared_ptr<workspace>(new workspace);
  if (auto failed = result->open_root(settings, base))
    return failed;
  if (auto failed = result->set_up(settings, std::move(callbacks)))
    return failed;
  for (const auto& [name, path] : settings.paths)
    if (auto failed = result->open_path(name, path))
      return failed;
  return result;
}

workspace::workspace() {
  // nop
}

workspace::~workspace() {
  close();
}

caf::error workspace::close() {
  auto result = call("teardown", std::exchange(teardown_, nullptr));
  if (temporary_) {
    auto failed = temporary_->remove();
    result = result ? std::move(result) : std::move(failed);
    temporary_.reset();
  }
  for (auto& [name, entry] : directories_)
    if (entry.descriptor >= 0) {
      ::close(entry.descriptor);
      entry.descriptor = -1;
    }
  return result;
}

const workspace::directory& workspace::root() const {
  return directories_.at("root");
}

const workspace::directory* workspace::find(const std::string& name) const {
  auto found = directories_.find(name);
  return found == directories_.end() ? nullptr : &found->second;
}

const std::map<std::string, workspace::directory>&
workspace::directories() const {
  return directories_;
}

caf::error workspace::set_up(const workspace_settings& settings,
                             workspace_callbacks callbacks) {
  auto where = settings;
  where.root = root().path;
  if (callbacks.setup)
    if (auto failed = call("setup", [&] { callbacks.setup(where); }))
      return failed;
  if (callbacks.teardown)
    teardown_ = [f = std::move(callbacks.teardown), where = std::move(where)] {
      f(where);
    };
  return {};
}

caf::error workspace::open_root(const workspace_settings& settings,
                                const std::string& base) {
  auto path = (fs::path{base} / settings.root).string();
  if (settings.provider == "temporary") {
    auto made = temporary_folder::make();
    if (!made)
      return std::move(made.error());
    path = made->path();
    temporary_.emplace(std::move(*made));
  } else if (settings.provider != "directory") {
    return make_error(errc::configuration,
                      in_quotes(settings.provider)
                        + " is no workspace provider: directory or temporary",
                      "workspace.provider");
  }
  auto opened = open_named("root", path);
  if (!opened)
    return opened.error();
  return add("root", *opened);
}

caf::error workspace::open_path(const std::string& name,
                                const std::string& path) {
  if (!is_workspace_name(name) || name == "root")
    return make_error(errc::configuration,
                      in_quotes(name)
                        + " cannot name a workspace path: letters, digits, "
                          "\"_\" and \"-\", and not \"root\"",
                      "workspace.paths");
  auto opened = fs::path{path}.is_absolute()
                  ? open_named(name, path)
                  : open_beneath_root(name, path, root());
  return opened ? add(name, *opened) : opened.error();
}

// One directory has one name, so that it has one access.
caf::error workspace::add(const std::string& name, const directory& opened) {
  auto keep = unique_fd{opened.descriptor};

  struct stat status{};

  if (::fstat(keep.get(), &status) != 0)
    return make_error(errc::sandbox, describe(errno), key_of(name));
  for (const auto& [other, entry] : directories_) {
    struct stat taken{};

    if (::fstat(entry.descriptor, &taken) == 0 && same_file(status, taken))
      return make_error(errc::configuration,
                        in_quotes(name) + " and " + in_quotes(other)
                          + " are the same directory",
                        key_of(name), "give each directory one name");
  }
  directories_.emplace(name, directory{opened.path, keep.release()});
  return {};
}

} // namespace troupe
