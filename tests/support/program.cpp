#include "support/program.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::test {

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  auto in = std::ifstream{file, std::ios::binary};
  auto out = std::ostringstream{};
  out << in.rdbuf();
  return out.str();
}

fs::path temporary_file() {
  auto pattern = (fs::temp_directory_path() / "troupe-io-XXXXXX").string();
  auto descriptor = mkstemp(pattern.data());
  if (descriptor < 0)
    throw std::runtime_error{"mkstemp failed"};
  close(descriptor);
  return pattern;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  auto result = std::vector<char*>{};
  for (auto& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

} // namespace

program::program(spec what) : out_(temporary_file()), err_(temporary_file()) {
  auto path = what.path.empty() ? std::string{TROUPE_BINARY_DIR} + "/bin/troupe"
                                : what.path;
  auto input = temporary_file();
  std::ofstream{input, std::ios::binary} << what.input;
  what.arguments.insert(what.arguments.begin(), path);
  what.environment.push_back("PATH=/usr/bin:/bin");
  what.environment.push_back("HOME=" + what.folder.string());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(),
                                   O_WRONLY | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(),
                                   O_WRONLY | O_TRUNC, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, what.folder.c_str());
  auto arguments = pointers(what.arguments);
  auto environment = pointers(what.environment);
  auto failed = posix_spawn(&pid_, path.c_str(), &actions, nullptr,
                            arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  fs::remove(input);
  if (failed != 0)
    throw std::runtime_error{"cannot start " + path};
}

program::~program() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  auto ignored = std::error_code{};
  fs::remove(out_, ignored);
  fs::remove(err_, ignored);
}

void program::signal(int number) const {
  kill(pid_, number);
}

bool program::wait_for_output(const std::string& text) {
  return eventually(
    [&] { return contents(out_).find(text) != std::string::npos; });
}

program_result program::wait() {
  auto status = 0;
  auto is_over = [&] { return waitpid(pid_, &status, WNOHANG) == pid_; };
  if (!eventually(is_over) && !eventually(is_over) && !eventually(is_over))
    throw std::runtime_error{"the program does not end: " + contents(err_)};
  pid_ = -1;
  auto code = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                  : WEXITSTATUS(status);
  return {code, contents(out_), contents(err_)};
}

program_result run_troupe(const fs::path& folder,
                          std::vector<std::string> arguments, std::string input,
                          std::vector<std::string> environment) {
  auto what = program::spec{};
  what.arguments = std::move(arguments);
  what.folder = folder;
  what.environment = std::move(environment);
  what.input = std::move(input);
  return program{std::move(what)}.wait();
}

bool is_alive(pid_t pid) {
  auto in = std::ifstream{"/proc/" + std::to_string(pid) + "/stat"};
  auto text = std::string{};
  if (!std::getline(in, text))
    return false;
  auto end = text.rfind(')');
  return end != std::string::npos && end + 2 < text.size()
         && text[end + 2] != 'Z';
}

} // namespace troupe::test
