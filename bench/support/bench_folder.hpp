#pragma once

#include <string>

namespace troupe::bench {

/// A folder of its own that is gone after the benchmark. On the disk that the
/// build is on: the system's temporary folder may be memory.
class bench_folder {
public:
  bench_folder();
  bench_folder(const bench_folder&) = delete;
  bench_folder& operator=(const bench_folder&) = delete;
  ~bench_folder();

  std::string operator/(const char* name) const {
    return path_ + "/" + name;
  }

private:
  std::string path_;
};

} // namespace troupe::bench
