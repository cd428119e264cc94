#include "sandbox/container/engine_support.hpp"

#include "troupe/sandbox/process_plan.hpp"

#include "sandbox/process_support.hpp"

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace troupe::test {

namespace {

namespace fs = std::filesystem;

process_spec command(std::vector<std::string> argv) {
  auto result = process_spec{};
  result.argv = std::move(argv);
  result.directory = "/";
  result.environment = host_environment();
  result.wall = std::chrono::seconds{60};
  return result;
}

// A static busybox, or nothing.
std::string find_busybox() {
  for (const auto* path : {"/bin/busybox", "/usr/bin/busybox"})
    if (::access(path, X_OK) == 0)
      return path;
  return {};
}

std::string make_archive(const temp_dir& dir, const std::string& busybox) {
  auto tree = dir.path() / "image";
  fs::create_directories(tree / "bin");
  fs::create_directories(tree / "opt/tools");
  fs::copy_file(busybox, tree / "bin/busybox");
  for (const auto* name :
       {"sh",   "cat",  "ls",     "echo",  "sleep", "id",    "env",
        "head", "tail", "dd",     "wc",    "mkdir", "touch", "rm",
        "ps",   "kill", "setsid", "yes",   "grep",  "tr",    "pwd",
        "ln",   "mv",   "stat",   "printf"})
    fs::create_symlink("busybox", tree / "bin" / name);
  auto archive = (dir.path() / "image.tar").string();
  auto made = run(*make_runner(),
                  command({"tar", "-C", tree.string(), "-cf", archive, "."}));
  REQUIRE(made);
  REQUIRE(made->status == 0);
  return archive;
}

bool works(const live_engine& engine, std::string& why) {
  auto busybox = find_busybox();
  if (busybox.empty()) {
    why = "there is no busybox to make an image of";
    return false;
  }
  auto found = find_container_engine(engine.name);
  if (!found) {
    why = to_fault(found.error()).message;
    return false;
  }
  auto dir = temp_dir{};
  auto imported = run(
    *make_runner(),
    command(command_line(*found, {"import", "--change", "ENV FROM_IMAGE=yes",
                                  make_archive(dir, busybox), engine.image})));
  if (!imported || imported->status != 0) {
    why = imported ? imported->stderr_text : to_fault(imported.error()).message;
    return false;
  }
  auto probed = probe_container(nullptr, container_policy(engine));
  if (!probed)
    why = to_fault(probed.error()).message;
  return static_cast<bool>(probed);
}

std::unique_ptr<live_engine> look_for_engine() {
  for (const auto* name : {"podman", "docker"}) {
    auto engine = live_engine{name, "localhost/troupe-test:1"};
    auto why = std::string{};
    if (works(engine, why))
      return std::make_unique<live_engine>(engine);
    WARN(name << " does not work here: " << why);
  }
  WARN("SKIPPED: containers are not tested here");
  return nullptr;
}

} // namespace

const live_engine* find_live_engine() {
  static const auto found = look_for_engine();
  return found.get();
}

sandbox_settings container_policy(const live_engine& engine) {
  auto result = sandbox_settings{};
  result.provider = "container";
  result.container = container_settings{};
  result.container->engine = engine.name;
  result.container->image = engine.image;
  result.limits.memory = 256ull << 20;
  return result;
}

std::string ask_engine(const live_engine& engine,
                       const std::vector<std::string>& words) {
  auto found = find_container_engine(engine.name);
  REQUIRE(found);
  auto result = run(*make_runner(), command(command_line(*found, words)));
  REQUIRE(result);
  return result->stdout_text;
}

live_containers::live_containers(sandbox_settings with,
                                 std::map<std::string, std::string> paths)
  : policy(std::move(with)) {
  auto opened = workspace::open({"directory", ".", std::move(paths)},
                                dir.path().string());
  REQUIRE(opened);
  where = *opened;
  auto host = find_container_host(policy);
  REQUIRE(host);
  auto made = make_container_runner(nullptr, *host, where, policy);
  REQUIRE(made);
  runner = *made;
}

process_spec live_containers::shell(const std::string& script) {
  auto request = process_request{{"/bin/sh", "-c", script}, {}, {}, {}};
  auto spec = plan_process(request, *where, policy, {}, containment::container);
  REQUIRE(spec);
  return *spec;
}

caf::expected<process_result> live_containers::run(const std::string& script) {
  return test::run(*runner, shell(script));
}

} // namespace troupe::test
