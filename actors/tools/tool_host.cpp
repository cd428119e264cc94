#include "troupe/actors/tools/tool_host.hpp"

#include "troupe/actors/tools/call_data.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/settle.hpp"
#include "troupe/runtime/co/when_any.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace troupe {

namespace {

using tool_ptr = tool_actor::stateful_pointer<tool_state>;

tool_result failed(const std::string& sentence) {
  auto result = tool_result{};
  result.content = dump_json(nlohmann::json{{"error", sentence}});
  result.is_error = true;
  return result;
}

/// Failures of the sandbox and the rules are written for the model; anything
/// else a tool runs into is the operator's business.
bool is_for_model(errc kind) {
  switch (kind) {
    case errc::tool:
    case errc::permission:
    case errc::policy:
    case errc::sandbox:
    case errc::limit:
    case errc::timeout:
      return true;
    default:
      return false;
  }
}

/// What the model is told of it; nothing where it is the operator's business.
std::optional<std::string> told_to_model(const std::exception_ptr& caught) {
  try {
    std::rethrow_exception(caught);
  } catch (const tool_error& why) {
    return why.what();
  } catch (const co::failure& why) {
    auto what = to_fault(why.reason());
    return is_for_model(what.kind) ? std::optional{what.message} : std::nullopt;
  } catch (...) {
    return std::nullopt;
  }
}

tool_result failed_with(const std::exception_ptr& caught) {
  if (auto sentence = told_to_model(caught))
    return failed(*sentence);
  auto result = failed("the tool failed");
  result.hidden_failure = to_fault(co::to_error(caught)).message;
  return result;
}

tool_result succeeded(std::string text) {
  auto result = tool_result{};
  if (text.size() > most_value_bytes)
    return failed("the result has " + std::to_string(text.size())
                  + " bytes, more than the " + std::to_string(most_value_bytes)
                  + " that a tool gives; ask for less");
  // A tool that answers with plain text means a JSON string.
  if (nlohmann::json::accept(text))
    result.content = std::move(text);
  else
    result.content = dump_json(nlohmann::json(std::move(text)));
  return result;
}

std::shared_ptr<tool_context::call_data> open_call(tool_ptr self,
                                                   tool_request request) {
  auto& state = self->state;
  auto data = std::make_shared<tool_context::call_data>();
  data->self = self;
  data->idempotency_key = key_of_call(*request.invocation, request.record,
                                      request.call.id);
  data->request = std::move(request);
  data->sandbox = state.spec->sandbox;
  data->pool = state.spec->pool;
  std::erase_if(state.calls, [](const auto& x) { return x.expired(); });
  state.calls.emplace_back(data);
  return data;
}

/// One call with the files that it gives; what makes them comes last.
co::task<std::string> work_on_call(tool definition, tool_context context,
                                   std::string arguments) {
  auto work = definition.call(context, std::move(arguments));
  auto text = co_await work;
  for (size_t i = 0; i < context.data().files.size(); ++i) {
    if (!context.data().files[i].resolver)
      continue;
    auto resolver = std::exchange(context.data().files[i].resolver, nullptr);
    auto making = context.offload<std::string>(std::move(resolver));
    auto bytes = co_await making;
    context.data().files[i].file.bytes = shared<std::string>{std::move(bytes)};
  }
  co_return text;
}

co::task<tool_result> serve_call(tool_ptr self, tool_request request) {
  const auto& spec = *self->state.spec;
  auto arguments = request.call.arguments;
  auto data = open_call(self, std::move(request));
  auto result = tool_result{};
  auto limit = spec.definition.spec().timeout;
  try {
    auto work = work_on_call(spec.definition, tool_context{data},
                             std::move(arguments));
    auto text = std::string{};
    if (limit.count() > 0)
      text = co_await co::with_timeout(self, limit, std::move(work));
    else
      text = co_await work;
    result = succeeded(std::move(text));
  } catch (...) { // becomes the call's result
    result = failed_with(std::current_exception());
  }
  if (!result.is_error) {
    result.state_patch = state_patch(*data);
    for (auto& one : data->files)
      result.artifacts.push_back(std::move(one.file));
  } else {
    data->is_cancelled = true; // a blocking call that took too long
  }
  co_return result;
}

co::task<done> end_calls(tool_ptr self, end_work) {
  auto& state = self->state;
  for (auto& one : state.calls)
    if (auto data = one.lock())
      data->is_cancelled = true;
  auto lingering = state.running.cancel_others();
  co_await co::settle(self, std::move(lingering));
  self->quit();
  co_return done{};
}

} // namespace

tool_actor::behavior_type tool_behavior(tool_ptr self, tool_host_spec spec) {
  self->state.spec = std::move(spec);
  return {
    co::serve(self, serve_call),
    co::serve(self, end_calls),
    co::serve_cancel(self),
  };
}

} // namespace troupe
