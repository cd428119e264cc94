#include "support/chat_server_process.hpp"

#include "troupe/sandbox/unique_fd.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace troupe::bench {

namespace {

void require(bool x, const char* what) {
  if (!x)
    throw std::system_error{errno, std::generic_category(), what};
}

unique_fd listen_on_loopback() {
  auto result = unique_fd{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  require(static_cast<bool>(result), "no socket");
  auto address = sockaddr_in{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  require(bind(result.get(), reinterpret_cast<sockaddr*>(&address),
               sizeof(address))
              == 0
            && listen(result.get(), SOMAXCONN) == 0,
          "cannot listen");
  return result;
}

std::string url_of(int socket) {
  auto address = sockaddr_in{};
  auto size = socklen_t{sizeof(address)};
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/v1";
}

// The server takes the socket as its standard input.
pid_t start_server(int socket) {
  auto program = std::string{TROUPE_CHAT_SERVER};
  auto argv = std::array{program.data(), static_cast<char*>(nullptr)};
  auto actions = posix_spawn_file_actions_t{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, 0);
  auto pid = pid_t{-1};
  errno = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  require(errno == 0, "cannot start chat_server");
  return pid;
}

} // namespace

chat_server_process::chat_server_process() {
  auto socket = listen_on_loopback();
  base_url_ = url_of(socket.get());
  pid_ = start_server(socket.get());
}

chat_server_process::~chat_server_process() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

} // namespace troupe::bench
