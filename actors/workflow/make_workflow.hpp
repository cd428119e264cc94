#pragma once

#include "troupe/actors/workflow/workflow.hpp"
#include "troupe/actors/workflow/workflow_context.hpp"
#include "troupe/actors/workflow/workflow_values.hpp"

#include <string>
#include <type_traits>
#include <utility>

namespace troupe {

namespace detail {

/// Text stays text; everything else is JSON.
template <class T>
T input_of(const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>)
    return text;
  else
    return value_of<T>(text);
}

/// Named, so that no capturing lambda is a coroutine.
template <class In, class Out>
co::task<std::string>
run_described_flow(co::task<Out> (*body)(workflow_context, In),
                   workflow_context flow, std::string text) {
  auto input = input_of<In>(text);
  auto value = co_await body(std::move(flow), std::move(input));
  if constexpr (std::is_same_v<Out, std::string>)
    co_return value;
  else
    co_return text_of(value);
}

template <class In>
caf::error check_input(const std::string& text) {
  try {
    input_of<In>(text);
  } catch (const co::failure& why) {
    return why.reason();
  }
  return {};
}

} // namespace detail

/// A workflow over a described struct, which is read from the JSON text of the
/// run's input before there is a run, and one that is the run's output. Either
/// may be std::string, which is plain text.
template <class In, class Out>
workflow
make_workflow(std::string name, co::task<Out> (*body)(workflow_context, In)) {
  auto result = workflow_definition{};
  result.settings.name = std::move(name);
  result.body = [body](workflow_context flow, std::string text) {
    return detail::run_described_flow<In, Out>(body, std::move(flow),
                                               std::move(text));
  };
  if constexpr (!std::is_same_v<In, std::string>)
    result.check = detail::check_input<In>;
  result.gives_json = !std::is_same_v<Out, std::string>;
  return workflow{std::move(result)};
}

} // namespace troupe
