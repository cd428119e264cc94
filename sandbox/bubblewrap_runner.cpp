#include "troupe/sandbox/bubblewrap_runner.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/host_seat.hpp"
#include "troupe/sandbox/pool_runner.hpp"
#include "troupe/sandbox/sandbox_pool.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <cstdlib>
#include <sstream>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

// Empty: it is not there.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? name : std::string{};
  const auto* path = std::getenv("PATH"); // NOLINT: no one sets it
  auto folders = std::istringstream{path != nullptr ? path : "/usr/bin:/bin"};
  auto folder = std::string{};
  while (std::getline(folders, folder, ':')) {
    auto is_absolute = folder.starts_with("/");
    folder.append("/").append(name);
    if (is_absolute && ::access(folder.c_str(), X_OK) == 0)
      return folder;
  }
  return {};
}

} // namespace

caf::expected<bubblewrap_host> find_bubblewrap_host() {
  auto result = bubblewrap_host{};
  result.bubblewrap = find_program("bwrap");
  if (result.bubblewrap.empty())
    return make_error(errc::sandbox, "the program bwrap is missing", {},
                      "apt-get install bubblewrap");
  for (auto [name, to] : {std::pair{"troupe-sandbox-init", &result.init},
                          std::pair{"troupe-warden", &result.warden}}) {
    auto found = find_helper(name);
    if (!found)
      return std::move(found.error());
    *to = std::move(*found);
  }
  result.cgroups = find_cgroup_parents();
  return result;
}

caf::expected<std::shared_ptr<process_runner>>
make_bubblewrap_runner(std::shared_ptr<process_thread> thread,
                       bubblewrap_host host,
                       std::shared_ptr<const workspace> where,
                       const sandbox_settings& policy) {
  if (!thread) {
    auto made = process_thread::make();
    if (!made)
      return std::move(made.error());
    thread = std::move(*made);
  }
  return std::static_pointer_cast<process_runner>(
    std::make_shared<pool_runner<sandbox_pool>>(
      thread, std::make_shared<sandbox_pool>(thread->loop(), std::move(host),
                                             std::move(where), policy)));
}

} // namespace troupe
