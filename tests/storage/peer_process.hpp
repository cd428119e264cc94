#pragma once

#include "support/catch.hpp"
#include "support/storage_peer_protocol.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::test {

/// A running `storage_peer`, killed and waited for when this ends.
class peer {
public:
  explicit peer(std::vector<std::string> args) {
    args.insert(args.begin(), TROUPE_BINARY_DIR "/tests/storage_peer");
    auto argv = std::vector<char*>{};
    for (auto& arg : args)
      argv.push_back(arg.data());
    argv.push_back(nullptr);
    auto ends = std::array<int, 2>{};
    REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
    auto actions = posix_spawn_file_actions_t{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    auto code = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(),
                            environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    out_ = ends[0];
    REQUIRE(code == 0);
  }

  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;

  ~peer() {
    end();
    close(out_);
  }

  /// The next acknowledgement, if one comes before `microseconds` are over.
  std::optional<peer_ack> await_ack(int64_t microseconds) {
    auto wait = timespec{microseconds / 1000000, microseconds % 1000000 * 1000};
    auto ready = pollfd{out_, POLLIN, 0};
    if (ppoll(&ready, 1, &wait, nullptr) != 1)
      return std::nullopt;
    return read_ack();
  }

  /// The same, which must come.
  peer_ack require_ack() {
    auto result = await_ack(60000000);
    REQUIRE(result);
    return *result;
  }

  /// An acknowledgement that is left when the peer has ended.
  std::optional<peer_ack> read_ack() {
    auto ack = peer_ack{};
    if (read(out_, &ack, sizeof(ack)) != sizeof(ack))
      return std::nullopt;
    return ack;
  }

  /// Ends it in the middle of whatever it does.
  void end() {
    if (pid_ <= 0)
      return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  int wait_for_exit() {
    auto status = 0;
    REQUIRE(waitpid(pid_, &status, 0) == pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

private:
  pid_t pid_ = -1;
  int out_ = -1;
};

} // namespace troupe::test
