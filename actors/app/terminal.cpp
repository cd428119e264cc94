#include "troupe/actors/app/terminal.hpp"

#include "troupe/runtime/text/utf8.hpp"

#include <cerrno>
#include <cstdlib>
#include <iostream>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace troupe::app {

void open_standard_streams() {
  for (auto descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      open("/dev/null", O_RDWR); // the lowest number is free, and that one
}

bool was_printed() {
  std::cout.flush();
  if (std::cout)
    return true;
  auto out = pollfd{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

bool is_terminal(int descriptor) {
  return isatty(descriptor) == 1;
}

bool has_colour() {
  const auto* forbidden = std::getenv("NO_COLOR"); // NOLINT: no one sets it
  return is_terminal(STDERR_FILENO)
         && (forbidden == nullptr || *forbidden == '\0');
}

std::string printable(std::string_view text) {
  auto result = std::string{};
  result.reserve(text.size());
  for (auto c : text) {
    auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 ? code != 0x7F : c == '\n' || c == '\t')
      result.push_back(c);
  }
  return result;
}

permission_answer ask_on_terminal(const permission_request& request) {
  std::cerr << printable("\nAllow " + request.call.name + " ("
                         + request.capability + ") "
                         + excerpt(request.subject, 200) + "? y/n/always ")
            << std::flush;
  auto line = std::string{};
  if (!std::getline(std::cin, line))
    return {permission_verdict::deny, "nobody answered"};
  if (line == "y" || line == "yes")
    return {permission_verdict::allow, {}};
  if (line == "a" || line == "always")
    return {permission_verdict::always, {}};
  return {permission_verdict::deny, "the user said no"};
}

} // namespace troupe::app
