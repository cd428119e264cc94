#include "support/process_usage.hpp"

#include <malloc.h>

#include <chrono>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

double seconds(const timeval& x) {
  return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) * 1e-6;
}

double resident_bytes() {
  auto size = 0.0;
  auto resident = 0.0;
  auto shared = 0.0;
  std::ifstream{"/proc/self/statm"} >> size >> resident >> shared;
  return (resident - shared) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double allocated_bytes() {
  auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

} // namespace

double cpu_seconds() {
  auto usage = rusage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

memory_use settled_memory() {
  constexpr auto pause = std::chrono::milliseconds{100};
  auto before = -1.0;
  while (allocated_bytes() != before) {
    before = allocated_bytes();
    std::this_thread::sleep_for(pause);
  }
  malloc_trim(0);
  return {resident_bytes(), allocated_bytes()};
}

} // namespace troupe::bench
