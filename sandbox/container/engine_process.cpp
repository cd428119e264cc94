#include "troupe/sandbox/container/engine_process.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/output_capture.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cerrno>
#include <csignal>
#include <sstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace troupe {

namespace {

using boost::system::error_code;

constexpr auto most_output = uint64_t{1} << 20;

/// The arguments of posix_spawn that need releasing.
class engine_spawn {
public:
  engine_spawn() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    auto none = sigset_t{};
    auto all = sigset_t{};
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID
                                               | POSIX_SPAWN_SETSIGMASK
                                               | POSIX_SPAWN_SETSIGDEF);
  }

  engine_spawn(const engine_spawn&) = delete;
  engine_spawn& operator=(const engine_spawn&) = delete;

  ~engine_spawn() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  // Returns an errno value.
  int run(const std::vector<std::string>& line,
          const std::map<std::string, std::string>& environment,
          const engine_ends& ends, pid_t& pid) {
    auto variables = std::vector<std::string>{};
    for (const auto& [name, value] : environment)
      variables.push_back(name + "=" + value);
    auto argv = pointers_to(line);
    auto envp = pointers_to(variables);
    ::posix_spawn_file_actions_adddup2(&actions_, ends.input.get(), 0);
    ::posix_spawn_file_actions_adddup2(&actions_, ends.output.get(), 1);
    ::posix_spawn_file_actions_adddup2(&actions_, ends.errors.get(), 2);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
    return ::posix_spawn(&pid, line.front().c_str(), &actions_, &attributes_,
                         argv.data(), envp.data());
  }

private:
  static std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    auto result = std::vector<char*>{};
    for (const auto& one : texts)
      result.push_back(const_cast<char*>(one.c_str()));
    result.push_back(nullptr);
    return result;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

bool make_pipe(unique_fd& reader, unique_fd& writer) {
  int fds[2] = {-1, -1};
  if (::pipe2(fds, O_CLOEXEC) != 0)
    return false;
  reader = unique_fd{fds[0]};
  writer = unique_fd{fds[1]};
  // 0, 1 and 2 are where they go.
  writer = unique_fd{::fcntl(writer.get(), F_DUPFD_CLOEXEC, 3)};
  return static_cast<bool>(writer);
}

/// One call, kept by what it waits for.
class engine_call : public std::enable_shared_from_this<engine_call> {
public:
  engine_call(boost::asio::io_context& loop,
              std::function<void(caf::expected<std::string>)> done)
    : process_(std::make_shared<engine_process>(loop)),
      output_(loop, most_output),
      errors_(loop, 4096),
      timer_(loop),
      done_(std::move(done)) {
    // nop
  }

  void start(const container_engine& engine,
             const std::vector<std::string>& words, caf::timespan most) {
    what_ = to_string(engine.kind) + " "
            + (words.empty() ? std::string{} : words.front());
    auto theirs = engine_ends{};
    auto output = unique_fd{};
    auto errors = unique_fd{};
    theirs.input = unique_fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    if (!theirs.input || !make_pipe(output, theirs.output)
        || !make_pipe(errors, theirs.errors))
      return finish(
        make_error(errc::sandbox, "cannot call a container engine: "
                                    + std::generic_category().message(errno)));
    auto failed = process_->start(engine, words, std::move(theirs),
                                  [self = shared_from_this()](int status) {
                                    self->take(status);
                                  });
    if (failed)
      return finish(std::move(failed));
    output_.start(std::move(output), shared_from_this(),
                  [this] { process_->kill(); });
    errors_.start(std::move(errors), shared_from_this());
    timer_.expires_after(most);
    timer_.async_wait([self = shared_from_this()](error_code stopped) {
      if (stopped)
        return;
      self->late_ = true;
      self->process_->kill();
    });
  }

private:
  void take(int status) {
    timer_.cancel();
    output_.finish();
    errors_.finish();
    auto text = output_.take_text();
    auto why = complaint_in(errors_.take_text());
    if (late_)
      return finish(make_error(errc::sandbox, what_ + " does not answer"));
    if (output_.is_cut())
      return finish(make_error(errc::sandbox, what_ + " prints without end"));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return finish(std::move(text));
    auto how = WIFEXITED(status)
                 ? "status " + std::to_string(WEXITSTATUS(status))
                 : "signal " + std::to_string(WTERMSIG(status));
    finish(make_error(errc::sandbox,
                      what_ + " failed: " + (why.empty() ? how : why)));
  }

  void finish(caf::expected<std::string> result) {
    std::exchange(done_, nullptr)(std::move(result));
  }

  std::shared_ptr<engine_process> process_;
  output_capture output_;
  output_capture errors_;
  boost::asio::steady_timer timer_;
  std::function<void(caf::expected<std::string>)> done_;
  std::string what_;
  bool late_ = false;
};

} // namespace

engine_process::engine_process(boost::asio::io_context& loop) : handle_(loop) {
  // nop
}

engine_process::~engine_process() {
  kill();
}

caf::error engine_process::start(const container_engine& engine,
                                 const std::vector<std::string>& words,
                                 engine_ends ends,
                                 std::function<void(int)> ended) {
  auto pid = pid_t{-1};
  if (auto code = engine_spawn{}.run(command_line(engine, words),
                                     engine.environment, ends, pid))
    return make_error(errc::sandbox, "cannot start " + engine.program + ": "
                                       + std::generic_category().message(code));
  auto handle = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  auto failed = error_code{};
  if (handle >= 0)
    handle_.assign(handle, failed);
  if (handle < 0 || failed) {
    auto why = std::generic_category().message(errno);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return make_error(errc::sandbox,
                      "cannot watch " + engine.program + ": " + why);
  }
  pid_ = pid;
  ended_ = std::move(ended);
  await_end();
  return {};
}

void engine_process::await_end() {
  handle_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](error_code) {
                       auto status = 0;
                       ::waitpid(std::exchange(self->pid_, -1), &status, 0);
                       auto ignored = error_code{};
                       self->handle_.close(ignored);
                       std::exchange(self->ended_, nullptr)(status);
                     });
}

void engine_process::kill() {
  if (pid_ > 0)
    ::kill(pid_, SIGKILL);
}

void call_engine(boost::asio::io_context& loop, const container_engine& engine,
                 const std::vector<std::string>& words, caf::timespan most,
                 std::function<void(caf::expected<std::string>)> done) {
  std::make_shared<engine_call>(loop, std::move(done))
    ->start(engine, words, most);
}

std::string complaint_in(const std::string& printed) {
  constexpr auto longest = size_t{400};
  auto lines = std::istringstream{printed};
  auto line = std::string{};
  auto result = std::string{};
  while (std::getline(lines, line))
    if (line.find_first_not_of(" \t\r") != line.npos)
      result = line.substr(0, longest);
  std::erase_if(result, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  return result;
}

} // namespace troupe
