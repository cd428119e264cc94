#include "troupe/actors/app/line_reader.hpp"

#include "troupe/actors/app/terminal.hpp"

#include <editline/readline.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include <unistd.h>

namespace troupe::app {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const auto* value = std::getenv(name); // NOLINT: no one sets it
  return value == nullptr ? std::string{} : std::string{value};
}

std::string history_file() {
  auto folder = fs::path{variable("XDG_STATE_HOME")};
  if (!folder.is_absolute()) {
    auto home = fs::path{variable("HOME")};
    if (!home.is_absolute())
      return {};
    folder = home / ".local" / "state";
  }
  auto failed = std::error_code{};
  fs::create_directories(folder / "troupe", failed);
  if (failed)
    return {};
  return (folder / "troupe" / "chat_history").string();
}

} // namespace

line_reader::line_reader(std::string prompt)
  : prompt_(std::move(prompt)),
    is_terminal_(is_terminal(STDIN_FILENO)) {
  if (!is_terminal_)
    return;
  using_history();
  history_ = history_file();
  if (!history_.empty())
    read_history(history_.c_str());
}

line_reader::~line_reader() {
  if (history_.empty())
    return;
  stifle_history(1000);
  write_history(history_.c_str());
}

std::optional<std::string> line_reader::next() {
  if (!is_terminal_) {
    auto line = std::string{};
    if (!std::getline(std::cin, line))
      return std::nullopt;
    return line;
  }
  // libedit allocates with malloc.
  auto line = std::unique_ptr<char, decltype(&std::free)>{
    readline(prompt_.c_str()), &std::free};
  if (!line) {
    std::cout << '\n' << std::flush;
    return std::nullopt;
  }
  if (*line != '\0')
    add_history(line.get());
  return std::string{line.get()};
}

} // namespace troupe::app
