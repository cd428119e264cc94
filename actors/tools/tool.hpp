#pragma once

#include "troupe/actors/tools/tool_context.hpp"
#include "troupe/runtime/co/task.hpp"
#include "troupe/runtime/json/described.hpp"

#include "caf/timespan.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace troupe {

/// A failure that the model is told about: its text is the call's result.
/// Anything else a tool throws is hidden from the model.
class tool_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What may be done with a call whose outcome a crash left unknown.
enum class recovery_class : uint8_t {
  /// Has no effects: runs again.
  read_only,
  /// Runs again under the same idempotency key.
  idempotent,
  /// Does not run again: the model is told that the outcome is unknown.
  ask,
  /// Suspends the run until a person says whether it runs again.
  person,
};

/// What a tool declares.
struct tool_spec {
  std::string name;
  /// For the model.
  std::string description;
  /// The text of a JSON Schema of type object; arguments are checked with it
  /// before a call.
  std::string parameters = R"({"type":"object"})";
  /// read | glob | write | shell | fetch | search, what a permission is asked
  /// for; empty: none is needed.
  std::string capability;
  recovery_class recovery = recovery_class::ask;
  /// Never overlaps another exclusive call of the same run.
  bool exclusive = false;
  /// The function blocks, so it runs on the blocking pool; for functions that
  /// are no coroutines.
  bool blocking = false;
  /// Works through the run's sandbox, which is opened for it.
  bool uses_sandbox = false;
  /// Of one call; 0: none but the run's deadline.
  caf::timespan timeout{0};
  /// Whether it is offered in a run; empty: always.
  std::function<bool(const invocation&)> available_if;
};

/// A tool of a definition: what it declares and what it does. Immutable and
/// shared by all runs; each run gives it an actor of its own.
class tool {
public:
  /// Takes the arguments' JSON text, gives the result's.
  using coroutine
    = std::function<co::task<std::string>(tool_context, std::string)>;
  using function = std::function<std::string(tool_context, std::string)>;

  tool(tool_spec spec, coroutine body);
  tool(tool_spec spec, function body);

  const tool_spec& spec() const noexcept {
    return *spec_;
  }

  /// The same tool declared otherwise.
  tool with(tool_spec spec) const;

  /// Starts one call.
  co::task<std::string> call(tool_context context, std::string arguments) const;

private:
  std::shared_ptr<const tool_spec> spec_;
  coroutine coroutine_;
  function function_;
};

} // namespace troupe
