#pragma once

#include "troupe/actors/tools/tool.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/json/described.hpp"

#include <string>
#include <type_traits>
#include <utility>

namespace troupe {

namespace detail {

/// A value as the JSON text a model sees: described structs as objects, a
/// std::string as a JSON string, numbers and bool as themselves.
template <class R>
std::string result_text(const R& value) {
  using handler = ordered_json::error_handler_t;
  return value_for(value).dump(-1, ' ', false, handler::replace);
}

/// Arguments as a struct; they were checked against the schema, so what does
/// not fit is a limit of the type (a number out of range) the model can mend.
template <class Args>
Args arguments_from(const std::string& text) {
  auto result = from_json_text<Args>(text);
  if (!result)
    throw tool_error{to_fault(result.error()).message};
  return std::move(*result);
}

/// Named, so that no capturing lambda is a coroutine.
template <class Args, class R>
co::task<std::string> run_described(co::task<R> (*body)(tool_context, Args),
                                    tool_context context, std::string text) {
  auto arguments = arguments_from<Args>(text);
  auto value = co_await body(std::move(context), std::move(arguments));
  co_return result_text(value);
}

} // namespace detail

/// A tool from a coroutine over a described struct, whose schema it gets.
template <class Args, class R>
tool make_tool(tool_spec spec, co::task<R> (*body)(tool_context, Args)) {
  spec.parameters = schema_of<Args>();
  auto call = tool::coroutine{[body](tool_context context, std::string text) {
    return detail::run_described<Args, R>(body, std::move(context),
                                          std::move(text));
  }};
  return tool{std::move(spec), std::move(call)};
}

/// A tool from a plain function over a described struct.
template <class Args, class R>
tool make_tool(tool_spec spec, R (*body)(tool_context, Args)) {
  spec.parameters = schema_of<Args>();
  auto call = tool::function{[body](tool_context context, std::string text) {
    return detail::result_text(
      body(std::move(context), detail::arguments_from<Args>(text)));
  }};
  return tool{std::move(spec), std::move(call)};
}

/// The same for a function that needs no context.
template <class Args, class R>
tool make_tool(tool_spec spec, R (*body)(Args)) {
  spec.parameters = schema_of<Args>();
  auto call = tool::function{[body](tool_context, std::string text) {
    return detail::result_text(body(detail::arguments_from<Args>(text)));
  }};
  return tool{std::move(spec), std::move(call)};
}

/// "name" and "description" are what a tool needs at least.
template <class F>
tool make_tool(std::string name, std::string description, F body) {
  auto spec = tool_spec{};
  spec.name = std::move(name);
  spec.description = std::move(description);
  return make_tool(std::move(spec), body);
}

} // namespace troupe
