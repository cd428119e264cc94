#pragma once

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/file_space.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <memory>
#include <string>
#include <utility>

namespace troupe::test {

/// The file space of a folder of its own.
struct disk_space {
  explicit disk_space(sandbox_limits limits = {}, sandbox_settings policy = {},
                      std::map<std::string, std::string> paths = {}) {
    auto where = workspace::open({"directory", ".", std::move(paths)},
                                 dir.path().string());
    REQUIRE(where);
    policy.limits = limits;
    auto made = make_disk_file_space(*where, policy);
    REQUIRE(made);
    files = std::move(*made);
  }

  file_space* operator->() const {
    return files.get();
  }

  temp_dir dir;
  std::unique_ptr<file_space> files;
};

/// Either kind of file space, one after the other.
class any_space {
public:
  explicit any_space(sandbox_limits limits = {}) {
    if (GENERATE(true, false))
      disk_ = std::make_unique<disk_space>(limits);
    else
      memory_ = make_memory_file_space(limits);
  }

  file_space* operator->() const {
    return disk_ ? disk_->files.get() : memory_.get();
  }

private:
  std::unique_ptr<disk_space> disk_;
  std::unique_ptr<file_space> memory_;
};

template <class T>
std::string message_of(const caf::expected<T>& x) {
  return x ? "no error" : to_fault(x.error()).message;
}

template <class T>
errc kind_of(const caf::expected<T>& x) {
  REQUIRE_FALSE(x);
  return to_fault(x.error()).kind;
}

} // namespace troupe::test
