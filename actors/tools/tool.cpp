#include "troupe/actors/tools/tool.hpp"

#include <utility>

namespace troupe {

namespace {

co::task<std::string> run_function(tool::function body, tool_context context,
                                   std::string arguments) {
  co_return body(std::move(context), std::move(arguments));
}

co::task<std::string> run_blocking(tool::function body, tool_context context,
                                   std::string arguments) {
  auto call = std::function<std::string()>{
    [body = std::move(body), context, arguments = std::move(arguments)] {
      return body(context, arguments);
    }};
  auto result = context.offload<std::string>(std::move(call));
  co_return co_await result;
}

} // namespace

tool::tool(tool_spec spec, coroutine body)
  : spec_(std::make_shared<const tool_spec>(std::move(spec))),
    coroutine_(std::move(body)) {
  // nop
}

tool::tool(tool_spec spec, function body)
  : spec_(std::make_shared<const tool_spec>(std::move(spec))),
    function_(std::move(body)) {
  // nop
}

tool tool::with(tool_spec spec) const {
  auto result = *this;
  result.spec_ = std::make_shared<const tool_spec>(std::move(spec));
  return result;
}

co::task<std::string> tool::call(tool_context context,
                                 std::string arguments) const {
  if (coroutine_)
    return coroutine_(std::move(context), std::move(arguments));
  if (spec_->blocking)
    return run_blocking(function_, std::move(context), std::move(arguments));
  return run_function(function_, std::move(context), std::move(arguments));
}

} // namespace troupe
