#include "support/bench_image.hpp"

#include "support/bench_folder.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/container/container_runner.hpp"

#include <filesystem>
#include <stdexcept>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

namespace fs = std::filesystem;

constexpr auto image = "localhost/troupe-bench:1";

std::string find_busybox() {
  for (const auto* path : {"/bin/busybox", "/usr/bin/busybox"})
    if (::access(path, X_OK) == 0)
      return path;
  throw std::runtime_error{"there is no busybox to make an image of"};
}

void import_image(const container_engine& engine) {
  auto folder = bench_folder{};
  auto tree = fs::path{folder / "image"};
  auto archive = folder / "image.tar";
  fs::create_directories(tree / "bin");
  fs::copy_file(find_busybox(), tree / "bin/busybox");
  fs::create_symlink("busybox", tree / "bin/true");
  spawn_and_wait({"tar", "-C", tree.string(), "-cf", archive, "."});
  spawn_and_wait(command_line(engine, {"import", archive, image}));
}

} // namespace

void spawn_and_wait(std::vector<std::string> words) {
  auto argv = std::vector<char*>{};
  for (auto& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  auto pid = pid_t{-1};
  auto status = 0;
  if (::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0
      || ::waitpid(pid, &status, 0) != pid || status != 0)
    throw std::runtime_error{"cannot run " + words.front()};
}

sandbox_settings container_policy() {
  auto why = std::string{};
  for (const auto* name : {"podman", "docker"}) {
    auto engine = find_container_engine(name);
    if (!engine) {
      why += to_fault(engine.error()).message + "; ";
      continue;
    }
    auto result = sandbox_settings{};
    result.provider = "container";
    result.container = container_settings{};
    result.container->engine = name;
    result.container->image = image;
    try {
      import_image(*engine);
      if (auto probed = probe_container(nullptr, result); !probed)
        why += to_fault(probed.error()).message + "; ";
      else
        return result;
    } catch (const std::exception& failed) {
      why += std::string{name} + ": " + failed.what() + "; ";
    }
  }
  throw std::runtime_error{why};
}

} // namespace troupe::bench
