#include "troupe/sandbox/owner_record.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

constexpr auto prefix = std::string_view{"troupe-"};

// In clock ticks since the boot; empty: there is no such process.
std::string start_of(const std::string& pid) {
  auto in = std::ifstream{"/proc/" + pid + "/stat"};
  auto text = std::string{};
  std::getline(in, text);
  // The name before it may hold anything.
  auto end = text.rfind(')');
  if (end == text.npos)
    return {};
  auto fields = std::istringstream{text.substr(end + 1)};
  auto result = std::string{};
  constexpr auto position = 20;
  for (auto i = 0; i < position; ++i)
    fields >> result;
  return fields ? result : std::string{};
}

std::string boot() {
  auto in = std::ifstream{"/proc/sys/kernel/random/boot_id"};
  auto result = std::string{};
  std::getline(in, result);
  return result;
}

std::string pid_namespace() {
  struct stat found{};

  return ::stat("/proc/self/ns/pid", &found) == 0 ? std::to_string(found.st_ino)
                                                  : std::string{};
}

// Made by this user, and nobody else can write to it.
bool is_private(const std::string& path) {
  struct stat found{};

  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)
         && found.st_uid == ::geteuid() && (found.st_mode & 0077) == 0;
}

} // namespace

std::string this_owner() {
  auto pid = std::to_string(::getpid());
  auto start = start_of(pid);
  auto space = pid_namespace();
  auto booted = boot();
  if (start.empty() || space.empty() || booted.empty())
    return {};
  return pid + "." + start + "." + space + "." + booted;
}

bool is_gone_owner(const std::string& owner) {
  auto in = std::istringstream{owner};
  auto pid = std::string{};
  auto start = std::string{};
  auto space = std::string{};
  auto booted = std::string{};
  auto has_all = std::getline(in, pid, '.') && std::getline(in, start, '.')
                 && std::getline(in, space, '.') && std::getline(in, booted);
  auto is_number = !pid.empty()
                   && pid.find_first_not_of("0123456789") == pid.npos;
  if (!has_all || !is_number || booted.empty())
    return false;
  if (booted != boot())
    return true;
  return space == pid_namespace() && start_of(pid) != start;
}

std::string make_owned_name() {
  auto random = std::random_device{};
  auto result = std::string{prefix};
  result += this_owner();
  for (auto i = 0; i < 2; ++i)
    result += "-" + std::to_string(random());
  return result;
}

bool is_left_behind(const std::string& name) {
  auto end = name.rfind('-');
  end = end == name.npos || end == 0 ? name.npos : name.rfind('-', end - 1);
  return name.starts_with(prefix) && end != name.npos && end > prefix.size()
         && is_gone_owner(name.substr(prefix.size(), end - prefix.size()));
}

std::string owner_record_folder(const std::string& kind) {
  const auto* given = std::getenv("XDG_RUNTIME_DIR"); // NOLINT: no one sets it
  auto is_given = given != nullptr && *given == '/' && is_private(given);
  auto base = is_given
                ? std::string{given} + "/troupe-" + kind
                : "/tmp/troupe-" + kind + "-" + std::to_string(::geteuid());
  if (::mkdir(base.c_str(), 0700) != 0 && errno != EEXIST)
    return {};
  return is_private(base) ? base : std::string{};
}

} // namespace troupe
