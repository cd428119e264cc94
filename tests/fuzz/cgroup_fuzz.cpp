#include "troupe/sandbox/cgroup_record.hpp"
#include "troupe/sandbox/owner_record.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <unistd.h>

using namespace troupe;
namespace fs = std::filesystem;

namespace {

void check(bool x) {
  if (!x)
    std::abort();
}

/// A runtime folder of this process, with a place for groups in it.
struct ground {
  ground() {
    auto pattern = std::string{"/tmp/troupe-fuzz-XXXXXX"};
    check(::mkdtemp(pattern.data()) != nullptr);
    top = pattern;
    ::setenv("XDG_RUNTIME_DIR", pattern.c_str(), 1);
    fs::create_directories(top / "groups");
    // The folder of the records is there with the first.
    mine = make_owned_name();
    check(!record_cgroup(mine).empty());
    fs::create_directories(top / "groups" / mine);
    parents.version = 2;
    parents.memory = (top / "groups").string();
  }

  ~ground() {
    auto ignored = std::error_code{};
    fs::remove_all(top, ignored);
  }

  fs::path top;
  std::string mine;
  cgroup_parents parents;
};

bool is_file_name(std::string_view x) {
  return !x.empty() && x.size() < 256 && x != "." && x != ".."
         && x.find('/') == x.npos && x.find('\0') == x.npos;
}

} // namespace

// A record with whatever name: its group goes with it or stays with it, and the
// group of a process that lives, and one without a record, always stay.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto on = ground{};
  auto name = std::string{reinterpret_cast<const char*>(data), size};
  if (!is_file_name(name) || name == on.mine)
    return 0;
  auto record = on.top / "troupe-cgroups" / name;
  auto group = on.top / "groups" / name;
  auto failed = std::error_code{};
  fs::create_directory(record, failed);
  fs::create_directory(group, failed);
  sweep_cgroups(on.parents);
  check(fs::exists(on.top / "groups" / on.mine));
  check(fs::exists(record) == fs::exists(group));
  fs::remove(record, failed);
  fs::create_directory(group, failed);
  sweep_cgroups(on.parents);
  check(fs::exists(group));
  fs::remove(group, failed);
  return 0;
}
