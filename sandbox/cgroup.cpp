#include "troupe/sandbox/cgroup.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/cgroup_record.hpp"
#include "troupe/sandbox/owner_record.hpp"
#include "troupe/sandbox/unique_fd.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

// The interface files: Documentation/admin-guide/cgroup-v1/{memory,pids}.rst
// and cgroup-v2.rst of the kernel.

namespace troupe {

namespace {

namespace fs = std::filesystem;

// Returns an errno value.
int write_file(const std::string& path, const std::string& text) {
  auto fd = unique_fd{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (!fd
      || ::write(fd.get(), text.data(), text.size())
           != static_cast<ssize_t>(text.size()))
    return errno;
  return 0;
}

// The number after `key` in a file of "key number" lines; 0: none.
uint64_t read_count(int fd, std::string_view key) {
  auto text = std::array<char, 1024>{};
  auto count = ::pread(fd, text.data(), text.size() - 1, 0);
  if (count <= 0)
    return 0;
  auto lines
    = std::istringstream{std::string{text.data(), static_cast<size_t>(count)}};
  auto name = std::string{};
  auto value = uint64_t{0};
  while (lines >> name >> value)
    if (name == key)
      return value;
  return 0;
}

bool has_word(const std::string& path, const std::string& word) {
  auto in = std::ifstream{path};
  auto found = std::string{};
  while (in >> found)
    if (found == word)
      return true;
  return false;
}

struct mount_point {
  std::string path;
  std::string type;
  std::string options;
};

std::vector<mount_point> cgroup_mounts() {
  auto result = std::vector<mount_point>{};
  auto in = std::ifstream{"/proc/self/mounts"};
  auto line = std::string{};
  while (std::getline(in, line)) {
    auto words = std::istringstream{line};
    auto device = std::string{};
    auto one = mount_point{};
    if (words >> device >> one.path >> one.type >> one.options
        && one.type.starts_with("cgroup"))
      result.push_back(std::move(one));
  }
  return result;
}

bool has_option(const std::string& options, const std::string& name) {
  return ("," + options + ",").find("," + name + ",") != std::string::npos;
}

/// This process's own group: for a controller of version 1, or (empty) in the
/// tree of version 2.
std::string own_group(const std::string& controller) {
  auto in = std::ifstream{"/proc/self/cgroup"};
  auto line = std::string{};
  while (std::getline(in, line)) {
    auto first = line.find(':');
    auto second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    auto controllers = line.substr(first + 1, second - first - 1);
    auto found = controller.empty() ? controllers.empty()
                                    : has_option(controllers, controller);
    if (found)
      return line.substr(second + 1);
  }
  return {};
}

bool can_make_groups(const std::string& folder) {
  auto name = make_owned_name();
  auto path = folder + "/" + name;
  // Should this process be killed in between.
  auto record = record_cgroup(name);
  auto result = ::mkdir(path.c_str(), 0755) == 0 && ::rmdir(path.c_str()) == 0;
  if (!record.empty())
    ::rmdir(record.c_str());
  return result;
}

// The innermost folder from `group` upwards that will do.
template <class Test>
std::string
search(const std::string& mount, const std::string& group, Test will_do) {
  auto at = fs::path{mount + group}.lexically_normal();
  auto top = fs::path{mount};
  for (;;) {
    if (will_do(at.string()))
      return at.string();
    if (at == top || at == at.parent_path())
      return {};
    at = at.parent_path();
  }
}

std::string find_version_1(const std::vector<mount_point>& mounts,
                           const std::string& controller) {
  for (const auto& one : mounts)
    if (one.type == "cgroup" && has_option(one.options, controller))
      return search(one.path, own_group(controller), can_make_groups);
  return {};
}

// A group with processes of its own cannot pass controllers on, so the one
// around it is the first that may.
std::string find_version_2(const std::vector<mount_point>& mounts) {
  auto will_do = [](const std::string& folder) {
    auto passed_on = folder + "/cgroup.subtree_control";
    return has_word(passed_on, "memory") && has_word(passed_on, "pids")
           && can_make_groups(folder);
  };
  for (const auto& one : mounts)
    if (one.type == "cgroup2") {
      auto found = search(one.path, own_group({}), will_do);
      if (!found.empty())
        return found;
    }
  return {};
}

caf::error cannot(const std::string& what, int code) {
  return make_error(errc::sandbox, "cannot " + what + ": "
                                     + std::generic_category().message(code));
}

// A file that a kernel without swap accounting lacks is passed over.
caf::error limit(const std::string& path, const std::string& value,
                 bool optional = false) {
  auto code = write_file(path, value);
  if (code == 0 || (optional && code == ENOENT))
    return {};
  return cannot("set the limit " + path, code);
}

} // namespace

cgroup_parents find_cgroup_parents() {
  auto mounts = cgroup_mounts();
  auto result = cgroup_parents{};
  auto second = find_version_2(mounts);
  if (!second.empty())
    return {2, second, second, {}};
  result.memory = find_version_1(mounts, "memory");
  result.processes = find_version_1(mounts, "pids");
  if (!result.memory.empty() && !result.processes.empty())
    result.version = 1;
  else
    result.reason = mounts.empty()
                      ? "no cgroup file system is mounted"
                      : "no cgroup with the memory and pids controllers was "
                        "delegated to this user";
  return result;
}

caf::expected<cgroup> cgroup::make(const cgroup_parents& parents,
                                   const std::string& name, uint64_t memory,
                                   uint64_t processes) {
  auto result = cgroup{};
  auto first = parents.version == 1;
  auto in_memory = parents.memory + "/" + name;
  auto in_processes = parents.processes + "/" + name;
  auto bytes = std::to_string(memory);
  result.record_ = record_cgroup(name);
  auto failed = result.make_folder(in_memory);
  if (!failed && first)
    failed = result.make_folder(in_processes);
  if (!failed)
    failed = limit(
      in_memory + (first ? "/memory.limit_in_bytes" : "/memory.max"), bytes);
  // Memory and swap together, or no swap.
  if (!failed)
    failed = limit(
      in_memory + (first ? "/memory.memsw.limit_in_bytes" : "/memory.swap.max"),
      first ? bytes : "0", true);
  if (!failed)
    failed = limit(in_processes + "/pids.max", std::to_string(processes));
  if (!failed)
    failed = result.open_events(
      in_memory + (first ? "/memory.oom_control" : "/memory.events"),
      in_processes + "/pids.events");
  if (!failed)
    return result;
  return failed;
}

cgroup::~cgroup() {
  for (const auto& folder : leftovers())
    ::rmdir(folder.c_str());
}

caf::error cgroup::make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0)
    return cannot("make the cgroup " + path, errno);
  folders_.push_back(path);
  return {};
}

caf::error cgroup::open_events(const std::string& memory,
                               const std::string& processes) {
  memory_events_ = unique_fd{::open(memory.c_str(), O_RDONLY | O_CLOEXEC)};
  process_events_ = unique_fd{::open(processes.c_str(), O_RDONLY | O_CLOEXEC)};
  if (memory_events_ && process_events_)
    return {};
  return cannot("read the events of a cgroup", errno);
}

caf::error cgroup::add(pid_t process) const {
  for (const auto& folder : folders_)
    if (auto code = write_file(folder + "/cgroup.procs",
                               std::to_string(process)))
      return cannot("put a process into the cgroup " + folder, code);
  return {};
}

cgroup_counts cgroup::counts() const {
  return {read_count(memory_events_.get(), "oom_kill"),
          read_count(process_events_.get(), "max")};
}

std::vector<std::string> cgroup::leftovers() const {
  auto result = folders_;
  if (!record_.empty())
    result.push_back(record_);
  return result;
}

} // namespace troupe
