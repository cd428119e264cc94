#include "troupe/sandbox/container/container_runner.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/container/container_plan.hpp"
#include "troupe/sandbox/container/container_pool.hpp"
#include "troupe/sandbox/container/engine_process.hpp"
#include "troupe/sandbox/host_seat.hpp"
#include "troupe/sandbox/pool_runner.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <future>
#include <utility>

namespace troupe {

namespace {

caf::expected<std::string> ask_version(process_thread& thread,
                                       const container_engine& engine) {
  // Each of them needs what containers need: the daemon, or the storage.
  auto words = std::vector<std::string>{"version", "--format",
                                        "{{.Server.Version}}"};
  if (engine.kind == engine_kind::podman)
    words = {"info", "--format", "{{.Version.Version}}"};
  if (engine.kind == engine_kind::apple)
    words = {"--version"};
  auto answer = std::promise<caf::expected<std::string>>{};
  auto told = answer.get_future();
  thread.post([&] {
    call_engine(thread.loop(), engine, words, std::chrono::seconds{20},
                [&answer](auto text) { answer.set_value(std::move(text)); });
  });
  auto text = told.get();
  if (!text)
    return text;
  return to_string(engine.kind) + " " + text->substr(0, text->find('\n'));
}

caf::error run_once(const std::shared_ptr<process_thread>& thread,
                    const container_host& host, sandbox_settings policy) {
  policy.files.clear();
  policy.runtime_paths.clear();
  auto where = workspace::open({"temporary", ".", {}}, "/tmp");
  if (!where)
    return std::move(where.error());
  auto runner = make_container_runner(thread, host, *where, policy);
  if (!runner)
    return std::move(runner.error());
  auto spec = process_spec{};
  spec.argv = {"/troupe-relay"};
  spec.directory = "/";
  auto answer = std::promise<caf::expected<process_result>>{};
  auto told = answer.get_future();
  (*runner)->start(std::move(spec),
                   [&answer](auto result) { answer.set_value(result); });
  auto result = told.get();
  return result ? caf::error{} : std::move(result.error());
}

} // namespace

caf::expected<container_host>
find_container_host(const sandbox_settings& policy) {
  if (auto failed = check_container(policy))
    return failed;
  auto engine = find_container_engine(policy.container->engine);
  if (!engine)
    return std::move(engine.error());
  auto relay = find_helper("troupe-relay");
  if (!relay)
    return std::move(relay.error());
  return container_host{std::move(*engine), std::move(*relay)};
}

caf::expected<std::shared_ptr<process_runner>>
make_container_runner(std::shared_ptr<process_thread> thread,
                      container_host host,
                      std::shared_ptr<const workspace> where,
                      const sandbox_settings& policy) {
  if (auto failed = check_container(policy))
    return failed;
  if (!thread) {
    auto made = process_thread::make();
    if (!made)
      return std::move(made.error());
    thread = std::move(*made);
  }
  return std::static_pointer_cast<process_runner>(
    std::make_shared<pool_runner<container_pool>>(
      thread, std::make_shared<container_pool>(thread->loop(), std::move(host),
                                               std::move(where), policy)));
}

caf::expected<std::string>
probe_container(std::shared_ptr<process_thread> thread,
                const sandbox_settings& policy) {
  auto name = policy.container ? policy.container->engine : "docker";
  auto engine = find_container_engine(name);
  if (!engine)
    return std::move(engine.error());
  if (!thread) {
    auto made = process_thread::make();
    if (!made)
      return std::move(made.error());
    thread = std::move(*made);
  }
  auto version = ask_version(*thread, *engine);
  if (!version || !policy.container || policy.container->image.empty())
    return version;
  auto host = find_container_host(policy);
  if (!host)
    return std::move(host.error());
  if (auto failed = run_once(thread, *host, policy))
    return failed;
  return version;
}

} // namespace troupe
