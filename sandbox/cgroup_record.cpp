#include "troupe/sandbox/cgroup_record.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

/// Who made a group. An id is used again, but not at the same time of start.
struct owner {
  unsigned long long pid_namespace = 0;
  long pid = 0;
  unsigned long long started_at = 0;
};

// The inode; 0: it cannot be told.
unsigned long long own_pid_namespace() {
  struct stat found{};

  return ::stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

// In clock ticks since the machine's start; 0: there is no such process.
unsigned long long start_of(long pid) {
  constexpr auto fields_between = 19;
  auto in = std::ifstream{"/proc/" + std::to_string(pid) + "/stat"};
  auto line = std::string{};
  std::getline(in, line);
  auto end = line.rfind(')');
  if (end == std::string::npos)
    return 0;
  auto words = std::istringstream{line.substr(end + 1)};
  auto skipped = std::string{};
  for (auto i = 0; i < fields_between; ++i)
    words >> skipped;
  auto result = 0ULL;
  words >> result;
  return result;
}

bool read_name(const std::string& name, owner& to) {
  auto unique = 0ULL;
  auto end = 0;
  return std::sscanf(name.c_str(), "troupe-%llu-%ld-%llu-%llu%n",
                     &to.pid_namespace, &to.pid, &to.started_at, &unique, &end)
           == 4
         && static_cast<size_t>(end) == name.size();
}

bool is_gone(const owner& who) {
  return who.pid_namespace == own_pid_namespace() && who.pid > 0
         && start_of(who.pid) != who.started_at;
}

// Made by this user, and nobody else can write to it.
bool is_private(const std::string& path) {
  struct stat found{};

  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)
         && found.st_uid == ::geteuid() && (found.st_mode & 0077) == 0;
}

// Empty: there is no place for records.
std::string folder_of_records() {
  const auto* given = std::getenv("XDG_RUNTIME_DIR"); // NOLINT: no one sets it
  auto is_given = given != nullptr && *given == '/' && is_private(given);
  auto base = is_given ? std::string{given} + "/troupe-cgroups"
                       : "/tmp/troupe-cgroups-" + std::to_string(::geteuid());
  if (::mkdir(base.c_str(), 0700) != 0 && errno != EEXIST)
    return {};
  return is_private(base) ? base : std::string{};
}

// Not there any more is as good. A group that is in use stays.
bool remove(const std::string& folder) {
  return ::rmdir(folder.c_str()) == 0 || errno == ENOENT;
}

} // namespace

std::string make_cgroup_name() {
  auto random = std::random_device{};
  return "troupe-" + std::to_string(own_pid_namespace()) + "-"
         + std::to_string(::getpid()) + "-"
         + std::to_string(start_of(::getpid())) + "-"
         + std::to_string(random());
}

std::string record_cgroup(const std::string& name) {
  auto folder = folder_of_records();
  auto path = folder + "/" + name;
  return !folder.empty() && ::mkdir(path.c_str(), 0700) == 0 ? path
                                                             : std::string{};
}

void sweep_cgroups(const cgroup_parents& parents) {
  auto folder = folder_of_records();
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
    auto who = owner{};
    if (!read_name(name, who) || !is_gone(who))
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
