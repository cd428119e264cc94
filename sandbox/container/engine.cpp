#include "troupe/sandbox/container/engine.hpp"

#include "troupe/config/errc.hpp"

#include <cstdlib>
#include <optional>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

std::optional<engine_kind> kind_of(const std::string& name) {
  for (auto kind :
       {engine_kind::docker, engine_kind::podman, engine_kind::apple})
    if (to_string(kind) == name)
      return kind;
  return std::nullopt;
}

std::map<std::string, std::string> engine_environment() {
  auto result = std::map<std::string, std::string>{};
  for (const auto* name : {"PATH", "HOME", "XDG_RUNTIME_DIR"})
    if (const auto* value = std::getenv(name))
      result[name] = value;
  result.emplace("PATH", "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  return result;
}

// Empty: it is not there.
std::string find_on(const std::string& path, const std::string& name) {
  auto folders = std::istringstream{path};
  auto folder = std::string{};
  while (std::getline(folders, folder, ':')) {
    auto candidate = folder + "/" + name;
    if (folder.starts_with("/") && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return {};
}

// As systemd's own libraries ask.
bool has_systemd() {
  struct stat found{};
  return ::lstat("/run/systemd/system", &found) == 0 && S_ISDIR(found.st_mode);
}

} // namespace

std::string to_string(engine_kind kind) {
  switch (kind) {
    case engine_kind::docker:
      return "docker";
    case engine_kind::podman:
      return "podman";
    case engine_kind::apple:
      return "apple";
  }
  return "unknown";
}

caf::expected<container_engine> find_container_engine(const std::string& name) {
  auto kind = kind_of(name);
  if (!kind)
    return make_error(errc::configuration,
                      "there is no container engine \"" + name + "\"",
                      "sandbox.container.engine", "docker, podman or apple");
  auto result = container_engine{};
  result.kind = *kind;
  result.environment = engine_environment();
  auto program = *kind == engine_kind::apple ? std::string{"container"} : name;
  result.program = find_on(result.environment["PATH"], program);
  if (result.program.empty())
    return make_error(
      errc::sandbox, "the program " + program + " is missing", {},
      *kind == engine_kind::apple
        ? "it is a part of macOS containers"
        : "apt-get install "
            + (name == "docker" ? std::string{"docker.io"} : name));
  if (*kind == engine_kind::podman && !has_systemd())
    result.options = {"--cgroup-manager=cgroupfs"};
  return result;
}

std::vector<std::string> command_line(const container_engine& engine,
                                      const std::vector<std::string>& words) {
  auto result = std::vector<std::string>{engine.program};
  result.insert(result.end(), engine.options.begin(), engine.options.end());
  result.insert(result.end(), words.begin(), words.end());
  return result;
}

} // namespace troupe
