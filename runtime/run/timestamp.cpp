#include "troupe/runtime/run/timestamp.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>

namespace troupe {

int64_t now_micros() {
  using namespace std::chrono;
  auto since = system_clock::now().time_since_epoch();
  return duration_cast<microseconds>(since).count();
}

std::string rfc3339(int64_t micros) {
  auto seconds = static_cast<std::time_t>(micros / 1'000'000);
  auto parts = std::tm{};
  gmtime_r(&seconds, &parts);
  char text[64];
  auto length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof(text) - length, ".%06dZ",
                static_cast<int>(micros % 1'000'000));
  return text;
}

} // namespace troupe
