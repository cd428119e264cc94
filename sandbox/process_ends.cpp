#include "troupe/sandbox/process_ends.hpp"

#include "troupe/config/errc.hpp"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>

namespace troupe {

namespace {

// Above the numbers that a warden gets its own at, so that none is overwritten
// before it is passed on.
constexpr auto lowest = 16;

unique_fd lift(int fd) {
  auto low = unique_fd{fd};
  return unique_fd{::fcntl(low.get(), F_DUPFD_CLOEXEC, lowest)};
}

unique_fd copy(const unique_fd& fd) {
  return unique_fd{::fcntl(fd.get(), F_DUPFD_CLOEXEC, lowest)};
}

bool make_socket(unique_fd& ours, unique_fd& theirs) {
  auto fds = std::array<int, 2>{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0)
    return false;
  ours = unique_fd{fds[0]};
  theirs = lift(fds[1]);
  return static_cast<bool>(theirs);
}

bool make_pipe(unique_fd& reader, unique_fd& writer) {
  auto fds = std::array<int, 2>{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0)
    return false;
  reader = unique_fd{fds[0]};
  writer = unique_fd{fds[1]};
  return true;
}

bool make_input(const process_spec& spec, process_ends& to) {
  if (spec.stdio.input) {
    to.theirs.input = copy(*spec.stdio.input);
  } else if (spec.stdin_text.empty()) {
    to.theirs.input = lift(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  } else {
    auto reader = unique_fd{};
    if (make_pipe(reader, to.input))
      to.theirs.input = lift(reader.release());
  }
  return static_cast<bool>(to.theirs.input);
}

bool make_output(const std::shared_ptr<unique_fd>& given, unique_fd& ours,
                 unique_fd& theirs) {
  if (given) {
    theirs = copy(*given);
  } else {
    auto writer = unique_fd{};
    if (make_pipe(ours, writer))
      theirs = lift(writer.release());
  }
  return static_cast<bool>(theirs);
}

} // namespace

caf::expected<process_ends> make_process_ends(const process_spec& spec) {
  auto result = process_ends{};
  auto& theirs = result.theirs;
  if (make_socket(result.control, theirs.control) && make_input(spec, result)
      && make_output(spec.stdio.output, result.output, theirs.output)
      && make_output(spec.stdio.errors, result.errors, theirs.errors))
    return result;
  return make_error(errc::sandbox, "cannot start a command: "
                                     + std::generic_category().message(errno));
}

} // namespace troupe
