#include "troupe/actors/workflow/workflow_files.hpp"

#include "troupe/actors/run/run_artifacts.hpp"
#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/run/run_life.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/prompt/template_text.hpp"
#include "troupe/runtime/run/workflow_names.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

namespace {

workflow_ptr self_of(const workflow_context& flow) {
  return flow.where().self;
}

co::task<artifact_list> load(workflow_ptr self, std::string name) {
  auto asked = co::request<artifact_list>(
    self, self->state.spec.services->store, caf::infinite,
    load_run_artifacts{self->state.spec.run_id, std::move(name)});
  auto found = co_await asked;
  co_return found;
}

bool is_same(const artifact_list& found, const std::string& content,
             const std::string& media_type) {
  return !found.artifacts.empty() && found.artifacts.front().content == content
         && found.artifacts.front().media_type == media_type;
}

/// Writes one file over whatever is there.
co::task<void> write(workflow_ptr self, sandbox_actor files, std::string path,
                     std::string content) {
  // A disk wants to know what it is to replace.
  auto look = co::request<read_file_result>(self, files, caf::infinite,
                                            read_file_request{path, 1, 1});
  auto found = co_await co::as_expected(std::move(look));
  auto order = write_file_request{std::move(path), std::move(content), {}};
  if (found)
    order.known.digest = found->digest;
  auto asked = co::request<write_file_result>(self, files, caf::infinite,
                                              std::move(order));
  co_await asked;
}

} // namespace

const sandbox_actor& need_sandbox(const workflow_context& flow) {
  auto self = self_of(flow);
  auto& state = self->state;
  if (state.sandbox)
    return state.sandbox;
  const auto& services = *state.spec.services;
  const auto& own = state.definition->settings;
  state.policy = own.sandbox.value_or(services.settings.sandbox);
  auto declared = own.workspace.value_or(
    state.policy.workspace.value_or(services.settings.workspace));
  state.sandbox = services.open_sandbox(
    {run_observer_actor{self}, state.policy,
     workspace_of(state, std::move(declared)), services.callbacks});
  return state.sandbox;
}

co::task<sandbox_actor> sandbox_of(workflow_context flow) {
  auto self = self_of(flow);
  auto& state = self->state;
  if (state.sandbox)
    co_return state.sandbox;
  need_sandbox(flow);
  // Says why it cannot be opened.
  auto asked = co::request<sandbox_description>(self, state.sandbox,
                                                caf::infinite,
                                                describe_sandbox{});
  co_await asked;
  co_return state.sandbox;
}

co::task<void> keep_artifact(workflow_context flow, std::string name,
                             std::string content, std::string media_type) {
  auto self = self_of(flow);
  throw_if(check_artifact_name(name));
  claim_name(self->state, "artifact/" + name);
  if (self->state.spec.earlier) {
    auto found = co_await load(self, name);
    if (is_same(found, content, media_type))
      co_return;
  }
  add_artifact(self, std::move(name), std::move(content),
               std::move(media_type));
  co_await sync(self);
  publish(self->state);
}

co::task<void> keep_file(workflow_context flow, std::string name,
                         std::string path, std::string media_type) {
  throw_if(check_artifact_name(name));
  auto self = self_of(flow);
  auto files = co_await sandbox_of(flow);
  auto asked = read_whole(self, std::move(files), std::move(path));
  auto content = co_await asked;
  auto kept = keep_artifact(flow, std::move(name), std::move(content),
                            std::move(media_type));
  co_await kept;
}

co::task<void> keep_rendered(workflow_context flow, std::string name,
                             std::string text, std::string values,
                             std::string media_type) {
  throw_if(check_artifact_name(name));
  auto object = parse_object(values);
  if (!object)
    throw co::failure{errc::configuration,
                      "the values of \"" + name + "\" are no JSON object: "
                        + to_fault(object.error()).message};
  auto compiled = template_text::compile(text, name);
  if (!compiled)
    throw co::failure{std::move(compiled.error())};
  auto rendered = compiled->render(*object);
  if (!rendered)
    throw co::failure{std::move(rendered.error())};
  auto kept = keep_artifact(flow, std::move(name), std::move(*rendered),
                            std::move(media_type));
  co_await kept;
}

co::task<void> stage_files(workflow_context flow,
                           std::vector<staged_file> files) {
  auto self = self_of(flow);
  auto sandbox = co_await sandbox_of(flow);
  for (auto& one : files) {
    auto written = write(self, sandbox, std::move(one.path),
                         std::move(one.content));
    co_await written;
  }
}

co::task<std::vector<std::string>> write_artifacts(workflow_context flow) {
  auto self = self_of(flow);
  auto sandbox = co_await sandbox_of(flow);
  flush_store_part(self);
  auto every = std::string{};
  auto all = co_await load(self, std::move(every));
  auto names = std::vector<std::string>{};
  for (const auto& one : all.artifacts) {
    auto found = co_await load(self, one.name);
    if (found.artifacts.empty())
      continue;
    auto written = write(self, sandbox, one.name,
                         std::move(found.artifacts.front().content));
    co_await written;
    names.push_back(one.name);
  }
  co_return names;
}

} // namespace troupe
