#include "troupe/sandbox/remote/remote_sandbox.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/remote/json_remote_client.hpp"
#include "troupe/sandbox/remote/remote_runner.hpp"

#include <thread>
#include <utility>

namespace troupe {

namespace {

caf::expected<std::shared_ptr<remote_transport>>
connect(std::shared_ptr<process_thread> thread, const remote_settings& to) {
  if (!to.command.empty())
    return make_line_transport(std::move(thread), to.command);
  auto headers = std::map<std::string, std::string>{};
  for (const auto& [name, value] : to.headers)
    headers[name] = value.reveal();
  return make_http_transport(std::move(thread), to.url, std::move(headers));
}

// Their end speaks with the remote side, which the process thread carries: it
// must not wait for itself.
std::shared_ptr<remote_calls>
make_calls(const std::shared_ptr<process_thread>& thread,
           std::shared_ptr<remote_transport> transport) {
  auto client = make_json_remote_client(std::move(transport));
  auto calls = std::make_unique<remote_calls>(std::move(client));
  return {calls.release(), [thread](remote_calls* ended) {
            auto last = std::unique_ptr<remote_calls>{ended};
            if (thread->is_current())
              std::thread{[last = std::move(last)] {}}.detach();
          }};
}

} // namespace

caf::expected<remote_sandbox>
open_remote_sandbox(std::shared_ptr<process_thread> thread,
                    const sandbox_settings& policy) {
  if (auto failed = check_remote(policy))
    return failed;
  if (!policy.remote)
    return make_error(errc::configuration, "missing", "sandbox.remote",
                      "remote: {command: [PROGRAM]} or {url: http://…}");
  auto transport = connect(thread, *policy.remote);
  if (!transport)
    return std::move(transport.error());
  auto calls = make_calls(thread, std::move(*transport));
  auto files = make_remote_file_space(calls, policy);
  if (!files)
    return std::move(files.error());
  auto commands = make_remote_runner(std::move(thread), std::move(calls));
  if (!commands)
    return std::move(commands.error());
  return remote_sandbox{std::move(*files), std::move(*commands)};
}

} // namespace troupe
