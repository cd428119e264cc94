#include "troupe/sandbox/cgroup_record.hpp"

#include "troupe/sandbox/owner_record.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

// Not there any more is as good. A group that is in use stays.
bool remove(const std::string& folder) {
  return ::rmdir(folder.c_str()) == 0 || errno == ENOENT;
}

} // namespace

std::string record_cgroup(const std::string& name) {
  auto folder = owner_record_folder("cgroups");
  auto path = folder + "/" + name;
  return !folder.empty() && ::mkdir(path.c_str(), 0700) == 0 ? path
                                                             : std::string{};
}

void sweep_cgroups(const cgroup_parents& parents) {
  auto folder = owner_record_folder("cgroups");
  if (folder.empty())
    return;
  auto failed = std::error_code{};
  auto records = std::vector<std::string>{};
  for (const auto& entry : fs::directory_iterator{folder, failed})
    records.push_back(entry.path().filename().string());
  for (const auto& name : records) {
    auto beneath = [&name](std::string base) {
      return base.append("/").append(name);
    };
    if (!is_left_behind(name))
      continue;
    auto gone = true;
    for (const auto& parent : {parents.memory, parents.processes})
      if (!parent.empty())
        gone = remove(beneath(parent)) && gone;
    if (gone)
      remove(beneath(folder));
  }
}

} // namespace troupe
