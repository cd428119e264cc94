#include "troupe/actors/workflow/workflow.hpp"

#include "troupe/actors/workflow/workflow_context.hpp"

#include <utility>

namespace troupe {

namespace {

workflow_definition define(std::string name, workflow::coroutine body) {
  auto result = workflow_definition{};
  result.settings.name = std::move(name);
  result.body = std::move(body);
  return result;
}

} // namespace

workflow::workflow(std::string name, coroutine body)
  : workflow(define(std::move(name), std::move(body))) {
  // nop
}

workflow::workflow(workflow_definition definition)
  : definition_(
      std::make_shared<const workflow_definition>(std::move(definition))) {
  // nop
}

template <class F>
workflow& workflow::change(F f) {
  auto copy = *definition_;
  f(copy.settings);
  definition_ = std::make_shared<const workflow_definition>(std::move(copy));
  return *this;
}

workflow& workflow::description(std::string text) {
  return change([&](auto& x) { x.description = std::move(text); });
}

workflow& workflow::sandbox(sandbox_settings policy) {
  return change([&](auto& x) { x.sandbox = std::move(policy); });
}

workflow& workflow::workspace(workspace_settings where) {
  return change([&](auto& x) { x.workspace = std::move(where); });
}

workflow& workflow::deadline(caf::timespan limit) {
  return change([&](auto& x) { x.deadline = limit; });
}

} // namespace troupe
