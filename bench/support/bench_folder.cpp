#include "support/bench_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace troupe::bench {

bench_folder::bench_folder() {
  auto pattern = std::string{TROUPE_BINARY_DIR "/bench-XXXXXX"};
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error{"cannot make a folder"};
  path_ = pattern;
}

bench_folder::~bench_folder() {
  auto ignored = std::error_code{};
  std::filesystem::remove_all(path_, ignored);
}

} // namespace troupe::bench
