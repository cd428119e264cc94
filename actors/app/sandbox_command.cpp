#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/setup.hpp"
#include "troupe/actors/sandbox/sandbox_host.hpp"
#include "troupe/config/environment_layer.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/sandbox/backend_report.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <future>
#include <iostream>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace troupe::app {

namespace {

using json = nlohmann::ordered_json;

// As env(1) and the shells have it.
constexpr auto exit_timed_out = 124;
constexpr auto exit_not_executable = 126;
constexpr auto exit_not_found = 127;

json or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

json to_json(const backend_report& x) {
  return {{"backend", x.backend},
          {"available", x.available},
          {"reason", or_null(x.reason)},
          {"remedy", or_null(x.remedy)},
          {"features", x.features},
          {"network_modes", x.network_modes},
          {"isolation", x.isolation},
          {"limits",
           {{"memory", x.memory_limit}, {"processes", x.process_limit}}}};
}

void print(const backend_report& x) {
  std::cout << (x.available ? "available    " : "unavailable  ") << x.backend;
  if (!x.reason.empty())
    std::cout << ": " << x.reason;
  std::cout << '\n';
  if (!x.available) {
    if (!x.remedy.empty())
      std::cout << "             → " << x.remedy << '\n';
    return;
  }
  std::cout << "             isolation " << x.isolation << ", memory limit by "
            << x.memory_limit << ", processes by " << x.process_limit
            << ", network";
  for (const auto& mode : x.network_modes)
    std::cout << ' ' << mode << (mode == "external" ? " (not verified)" : "");
  std::cout << '\n';
}

/// A sandbox, as the command line and the policy file say.
struct opened_sandbox {
  sandbox_settings policy;
  std::shared_ptr<workspace> where;
  std::shared_ptr<process_runner> commands;
};

caf::expected<sandbox_settings> policy_for(const options& x) {
  if (!x.file.empty())
    return load_sandbox_file(x.file, process_environment());
  auto result = sandbox_settings{};
  result.provider = "native";
  return result;
}

// On the gateway's thread.
void tell_refusal(const gateway_decision& x) {
  if (!x.allowed)
    std::cerr << "troupe: network: " + x.destination
                   + " refused to the command: "
                   + std::string{to_string(x.reason)} + "\n";
}

// There is no workspace on this host.
caf::expected<opened_sandbox> open_remote(sandbox_settings policy) {
  auto result = opened_sandbox{std::move(policy), nullptr, nullptr};
  auto made = sandbox_host{trial::none}.open_remote(result.policy);
  if (!made)
    return std::move(made.error());
  result.commands = std::move(made->commands);
  return result;
}

caf::expected<opened_sandbox> open_sandbox(const options& x) {
  auto policy = policy_for(x);
  if (!policy)
    return std::move(policy.error());
  if (is_remote(*policy))
    return open_remote(std::move(*policy));
  auto result = opened_sandbox{std::move(*policy), nullptr, nullptr};
  auto where
    = workspace::open(result.policy.workspace.value_or(workspace_settings{}),
                      working_directory());
  if (!where)
    return std::move(where.error());
  result.where = std::move(*where);
  if (auto failed = check_sandbox(result.policy))
    return failed;
  auto host = sandbox_host{trial::none};
  auto commands = host.runner_for(result.where, result.policy,
                                  {tell_refusal, nullptr});
  if (!commands)
    return std::move(commands.error());
  result.commands = std::move(*commands);
  return result;
}

std::shared_ptr<unique_fd> copy_of(int fd) {
  return std::make_shared<unique_fd>(::fcntl(fd, F_DUPFD_CLOEXEC, 16));
}

// A remote sandbox cannot be talked with while a command runs, so all of the
// input goes there before.
caf::expected<process_spec>
plan_remote_command(process_request request, const sandbox_settings& policy) {
  auto most = policy.limits.write;
  auto piece = std::array<char, 4096>{};
  auto& text = request.stdin_text;
  while (::isatty(STDIN_FILENO) == 0 && text.size() <= most) {
    auto count = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (count <= 0)
      break;
    text.append(piece.data(), static_cast<size_t>(count));
  }
  if (text.size() > most)
    return make_error(errc::policy, "the input has more than the "
                                      + std::to_string(most)
                                      + " bytes of limits.write");
  auto spec = plan_command(request, nullptr, policy);
  if (spec)
    spec->overflow = output_overflow::end;
  return spec;
}

caf::expected<process_spec> spec_for(const options& x,
                                     const opened_sandbox& in) {
  auto request = process_request{};
  request.argv = x.arguments;
  if (is_remote(in.policy))
    return plan_remote_command(std::move(request), in.policy);
  auto spec = plan_command(request, in.where.get(), in.policy);
  if (!spec)
    return spec;
  spec->stdio.input = copy_of(STDIN_FILENO);
  if (!x.json) {
    spec->stdio.output = copy_of(STDOUT_FILENO);
    spec->stdio.errors = copy_of(STDERR_FILENO);
  }
  spec->overflow = output_overflow::end;
  return spec;
}

caf::expected<process_result> run(const opened_sandbox& in, process_spec spec,
                                  interrupts& signals) {
  auto done = std::make_shared<std::promise<caf::expected<process_result>>>();
  auto ended = done->get_future();
  auto id = in.commands->start(std::move(spec), [done](auto result) {
    done->set_value(std::move(result));
  });
  signals.on_first([commands = in.commands, id] { commands->terminate(id); });
  auto result = ended.get();
  signals.on_first(nullptr);
  return result;
}

int exit_code_of(const process_result& x) {
  return x.limit == "wall" ? exit_timed_out : x.status;
}

// What keeps a command from running is the command's own, or the sandbox's.
int report_failure(const opened_sandbox& in, const caf::error& why) {
  auto failed = to_fault(why);
  if (failed.kind == errc::tool) {
    report(why);
    return failed.message.ends_with("command not found") ? exit_not_found
                                                         : exit_not_executable;
  }
  report(explain_failure(in.policy, why));
  return exit_usage;
}

void print(const process_result& x) {
  auto object = json{{"status", x.status},
                     {"signal", x.signal == 0 ? json(nullptr) : json(x.signal)},
                     {"stdout", x.stdout_text},
                     {"stderr", x.stderr_text},
                     {"timed_out", x.timed_out},
                     {"truncated", x.truncated},
                     {"limit", or_null(x.limit)}};
  std::cout << object.dump(-1, ' ', false, json::error_handler_t::replace)
            << '\n';
}

// What a remote sandbox sent at the end.
void pass_on(const process_result& x) {
  std::cout << x.stdout_text << std::flush;
  std::cerr << x.stderr_text;
}

} // namespace

int probe_sandbox_command(const options& x) {
  auto thread = process_thread::make();
  if (!thread)
    return report(thread.error());
  auto policy = policy_for(x);
  if (!policy)
    return report(policy.error());
  auto names = x.name.empty() ? backend_names()
                              : std::vector<std::string>{x.name};
  auto list = json::array();
  auto code = exit_completed;
  for (const auto& name : names) {
    auto found = probe_backend(name, *thread, *policy);
    if (!found)
      return report(found.error());
    if (!x.name.empty() && !found->available)
      code = exit_failed;
    if (x.json)
      list.push_back(to_json(*found));
    else
      print(*found);
  }
  if (x.json)
    std::cout << list.dump(2) << '\n';
  return code;
}

int exec_sandbox_command(const options& x, interrupts& signals) {
  auto opened = open_sandbox(x);
  if (!opened)
    return report(opened.error());
  auto spec = spec_for(x, *opened);
  if (!spec)
    return report(spec.error());
  auto result = run(*opened, std::move(*spec), signals);
  auto code = result ? exit_code_of(*result)
                     : report_failure(*opened, result.error());
  if (result && x.json)
    print(*result);
  if (result && !x.json && is_remote(opened->policy))
    pass_on(*result);
  if (result && !x.json && !result->limit.empty())
    std::cerr << "troupe: limit: the command ran into the limit "
              << result->limit << '\n';
  opened->commands = nullptr;
  auto failed = opened->where ? opened->where->close() : caf::error{};
  if (failed)
    report(failed);
  return code;
}

} // namespace troupe::app
