#include "troupe/storage/process_identity.hpp"

#include <fstream>
#include <sstream>

#include <unistd.h>

namespace troupe {

namespace {

std::string boot_id() {
  auto file = std::ifstream{"/proc/sys/kernel/random/boot_id"};
  auto result = std::string{};
  file >> result;
  return result;
}

std::string start_time(const std::string& pid) {
  auto file = std::ifstream{"/proc/" + pid + "/stat"};
  auto line = std::string{};
  std::getline(file, line);
  auto end = line.rfind(')');
  if (end == std::string::npos)
    return {};
  auto rest = std::istringstream{line.substr(end + 2)};
  auto word = std::string{};
  for (auto i = 3; i <= 22 && rest >> word; ++i)
    if (i == 3 && (word == "Z" || word == "X"))
      return {};
  return word;
}

} // namespace

std::string process_identity() {
  auto pid = std::to_string(getpid());
  return boot_id() + ":" + pid + ":" + start_time(pid);
}

bool is_process_gone(const std::string& owner) {
  auto first = owner.find(':');
  auto last = owner.rfind(':');
  if (first == std::string::npos || first == last
      || owner.substr(0, first) != boot_id())
    return false;
  auto pid = owner.substr(first + 1, last - first - 1);
  return start_time(pid) != owner.substr(last + 1);
}

} // namespace troupe
