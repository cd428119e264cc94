#include "troupe/storage/process_identity.hpp"

#include "troupe/storage/file_handle.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace troupe {

namespace {

constexpr auto unknown = "?";

// The beginning of a small file of the kernel; empty where it cannot be read.
std::string read_start(const std::string& path) {
  auto file = file_handle{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  auto bytes = std::array<char, 1024>{};
  auto count = read(file.get(), bytes.data(), bytes.size());
  return count > 0 ? std::string(bytes.data(), static_cast<size_t>(count))
                   : std::string{};
}

std::string boot_id() {
  auto result = read_start("/proc/sys/kernel/random/boot_id");
  while (!result.empty() && result.back() == '\n')
    result.pop_back();
  return result.empty() ? unknown : result;
}

// "4026531836" of "pid:[4026531836]".
std::string namespace_id(const char* kind) {
  auto bytes = std::array<char, 64>{};
  auto path = std::string{"/proc/self/ns/"} + kind;
  auto count = readlink(path.c_str(), bytes.data(), bytes.size());
  auto text = std::string_view{bytes.data(),
                               count > 0 ? static_cast<size_t>(count) : 0};
  auto open = text.find('[');
  auto close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos)
    return unknown;
  return std::string{text.substr(open + 1, close - open - 1)};
}

// What process ids and the times in /proc are relative to. Kernels before 5.6
// have no namespaces of time.
std::string namespaces() {
  auto pids = namespace_id("pid");
  return pids == unknown ? pids : pids + "-" + namespace_id("time");
}

// A process as /proc has it.
struct process_state {
  char state = 0;
  std::string start;
};

// The name of the program, in parentheses, may hold anything: fields count from
// the last of these on. State is the third of the line, start the 22nd.
std::optional<process_state> read_state(const std::string& pid) {
  auto line = read_start("/proc/" + pid + "/stat");
  auto rest = std::string_view{line};
  auto name_end = rest.rfind(") ");
  if (name_end == std::string_view::npos)
    return std::nullopt;
  rest.remove_prefix(name_end + 2);
  auto result = process_state{rest.empty() ? '\0' : rest.front(), {}};
  for (int field = 3; field < 22; ++field) {
    auto space = rest.find(' ');
    if (space == std::string_view::npos)
      return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  result.start.assign(rest.substr(0, rest.find(' ')));
  return result;
}

std::string this_start() {
  auto state = read_state("self");
  return state && !state->start.empty() ? state->start : unknown;
}

// The part of `text` before the next slash, which is taken off.
std::string take_part(std::string_view& text) {
  auto slash = text.find('/');
  auto result = std::string{text.substr(0, slash)};
  text.remove_prefix(slash == std::string_view::npos ? text.size() : slash + 1);
  return result;
}

bool is_number(const std::string& text, pid_t& value) {
  auto end = text.data() + text.size();
  auto [stop, code] = std::from_chars(text.data(), end, value);
  return code == std::errc{} && stop == end && value > 0;
}

} // namespace

std::string this_process() {
  return boot_id() + "/" + namespaces() + "/" + std::to_string(getpid()) + "/"
         + this_start();
}

bool is_process_gone(const std::string& owner) {
  auto rest = std::string_view{owner};
  auto boot = take_part(rest);
  auto spaces = take_part(rest);
  auto id = take_part(rest);
  auto start = take_part(rest);
  auto pid = pid_t{0};
  if (boot == unknown || boot != boot_id() || spaces == unknown
      || spaces != namespaces() || !is_number(id, pid))
    return false;
  if (kill(pid, 0) != 0 && errno == ESRCH)
    return true;
  // It may be another by now, or dead and not waited for. /proc may hide those
  // of other users: then it may well be there.
  auto state = read_state(id);
  if (!state)
    return false;
  if (state->state == 'Z' || state->state == 'X')
    return true;
  return !start.empty() && start != unknown && start != state->start;
}

} // namespace troupe
