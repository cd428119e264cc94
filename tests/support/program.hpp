#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::test {

/// What a program left behind.
struct program_result {
  /// 128 + signal where one ended it.
  int code = -1;
  std::string out;
  std::string err;
};

/// A program under way: build/bin/troupe unless another one is named. Its
/// environment is what stands here and nothing else. Killed when dropped.
class program {
public:
  struct spec {
    std::vector<std::string> arguments;
    std::filesystem::path folder;
    std::vector<std::string> environment;
    /// Written to stdin, which is closed then.
    std::string input;
    std::string path;
  };

  explicit program(spec what);
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program();

  pid_t pid() const noexcept {
    return pid_;
  }

  void signal(int number) const;

  /// What it has written to stdout so far, waiting until `text` is in it or
  /// 30 seconds are over; whether it came.
  bool wait_for_output(const std::string& text);

  /// Waits for its end, at most 60 seconds.
  program_result wait();

private:
  pid_t pid_ = -1;
  std::filesystem::path out_;
  std::filesystem::path err_;
};

/// Runs troupe with `arguments` in `folder` to its end.
program_result run_troupe(const std::filesystem::path& folder,
                          std::vector<std::string> arguments,
                          std::string input = {},
                          std::vector<std::string> environment = {});

/// Whether `condition` comes true within 20 seconds.
template <class Condition>
bool eventually(Condition condition);

/// Whether a process of this id exists and is no zombie.
bool is_alive(pid_t pid);

} // namespace troupe::test

#include <thread>

template <class Condition>
bool troupe::test::eventually(Condition condition) {
  using namespace std::chrono;
  auto end = steady_clock::now() + seconds{20};
  while (steady_clock::now() < end) {
    if (condition())
      return true;
    std::this_thread::sleep_for(milliseconds{5}); // a bounded poll
  }
  return condition();
}
