#include "sandbox/process_support.hpp"

#include <chrono>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>

namespace troupe::test {

bool eventually(const std::function<bool()>& condition) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

bool is_gone(pid_t pid) {
  auto in = std::ifstream{"/proc/" + std::to_string(pid) + "/stat"};
  auto text = std::string{};
  if (!std::getline(in, text))
    return true;
  auto end = text.rfind(')');
  return end == std::string::npos || text.substr(end + 2, 1) == "Z";
}

std::vector<pid_t> read_pids(const temp_dir& dir, const std::string& file) {
  auto in = std::istringstream{dir.read(file)};
  auto result = std::vector<pid_t>{};
  for (auto pid = pid_t{0}; in >> pid;)
    result.push_back(pid);
  return result;
}

process_spec shell(const std::string& script, const temp_dir& dir) {
  auto result = process_spec{};
  result.argv = {"/bin/sh", "-c", script};
  result.directory = dir.path().string();
  result.environment = {{"PATH", "/usr/bin:/bin"}};
  result.wall = std::chrono::seconds{100};
  return result;
}

caf::expected<process_result> run(process_runner& runner, process_spec spec) {
  auto result = std::promise<caf::expected<process_result>>{};
  runner.start(std::move(spec), [&](caf::expected<process_result> x) {
    result.set_value(std::move(x));
  });
  return result.get_future().get();
}

std::shared_ptr<process_runner> make_runner() {
  auto result = make_host_runner();
  REQUIRE(result);
  return *result;
}

} // namespace troupe::test
