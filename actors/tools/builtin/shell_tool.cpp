#include "troupe/actors/tools/builtin/shell_tool.hpp"

#include "troupe/actors/tools/make_tool.hpp"
#include "troupe/runtime/tools/cut_output.hpp"

#include <boost/describe.hpp>

#include <chrono>
#include <cmath>
#include <optional>

namespace troupe {

namespace {

struct shell_arguments {
  std::optional<std::string> command;
  std::optional<std::vector<std::string>> argv;
  std::optional<double> timeout;
  std::optional<std::string> cwd;
};

BOOST_DESCRIBE_STRUCT(shell_arguments, (), (command, argv, timeout, cwd))

// Not described: a signal that there was none is null, not absent.
std::string output_text(const process_result& x) {
  auto out = cut_output(x.stdout_text);
  auto err = cut_output(x.stderr_text);
  auto result = detail::ordered_json{};
  result["stdout"] = std::move(out.text);
  result["stderr"] = std::move(err.text);
  result["status"] = x.status;
  result["signal"] = nullptr;
  if (x.signal != 0)
    result["signal"] = x.signal;
  result["timed_out"] = x.timed_out;
  result["truncated"] = x.truncated || out.lost_lines > 0 || err.lost_lines > 0;
  return result.dump(-1, ' ', false,
                     detail::ordered_json::error_handler_t::replace);
}

process_request request_of(shell_arguments x) {
  if (x.command.has_value() == x.argv.has_value())
    throw tool_error{"give either command or argv"};
  auto result = process_request{};
  if (x.command)
    result.argv = {"/bin/sh", "-c", std::move(*x.command)};
  else
    result.argv = std::move(*x.argv);
  if (result.argv.empty() || result.argv.front().empty())
    throw tool_error{"argv needs at least the program"};
  result.directory = x.cwd.value_or("");
  if (x.timeout) {
    // Longer than anything is allowed to take anyway; the sandbox's own limit
    // counts then.
    constexpr auto most = 1e6;
    if (!(*x.timeout > 0) || !std::isfinite(*x.timeout))
      throw tool_error{"timeout is a number of seconds above 0"};
    auto seconds = std::chrono::duration<double>{std::min(*x.timeout, most)};
    result.timeout = std::chrono::duration_cast<caf::timespan>(seconds);
  }
  return result;
}

co::task<std::string> shell(tool_context context, std::string arguments) {
  auto parsed = detail::arguments_from<shell_arguments>(arguments);
  auto request = request_of(std::move(parsed));
  auto ended = co_await context.ask<process_result>(std::move(request));
  co_return output_text(ended);
}

} // namespace

template <>
struct described_docs<shell_arguments> {
  static constexpr member_doc members[] = {
    {"command", "one string for /bin/sh -c"},
    {"argv", "instead of command: the program and its arguments"},
    {"timeout", "seconds"},
    {"cwd", "where to start; the workspace root without it"},
  };
};

tool shell_tool() {
  auto spec = tool_spec{};
  spec.name = "shell";
  spec.capability = "shell";
  spec.description = "Runs a command and gives its output and exit status.";
  spec.parameters = schema_of<shell_arguments>();
  spec.uses_sandbox = true;
  return tool{std::move(spec), tool::coroutine{shell}};
}

} // namespace troupe
