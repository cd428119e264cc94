#include "troupe/actors/workflow/workflow_context.hpp"

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/workflow/workflow_files.hpp"
#include "troupe/actors/workflow/workflow_participants.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/workflow_names.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

namespace {

/// What would be lost, or be done again, if the run stopped here.
const char* why_not_now(const workflow_context& flow) {
  const auto& state = flow.where().self->state;
  if (!flow.where().checkpoint.empty() || state.open_checkpoints > 0)
    return "a workflow cannot suspend inside a checkpoint";
  if (!state.active.empty())
    return "a workflow cannot suspend while an agent of it runs";
  return nullptr;
}

co::task<std::string> do_suspend(workflow_context flow, std::string reason,
                                 std::string resume_key) {
  auto self = flow.where().self;
  auto& state = self->state;
  if (const auto* why = why_not_now(flow))
    throw co::failure{errc::configuration, why};
  if (!resume_key.empty())
    throw_if(check_name("resume key", resume_key));
  auto count = ++state.counts["resume/" + resume_key];
  auto id = resume_key;
  if (id.empty() || count > 1)
    id += "#" + std::to_string(count);
  auto brought = state.values.find("resume/" + id);
  if (brought != state.values.end())
    co_return brought->second;
  auto outcome = run_outcome{};
  outcome.status = run_status::suspended;
  outcome.waits_for = {std::move(reason), std::move(resume_key), {}, id};
  begin_ending(self, std::move(outcome));
  co_await state.next_leg.wait(self);
  co_return std::string{};
}

} // namespace

const troupe::invocation& workflow_context::invocation() const noexcept {
  return *place_->self->state.invoked;
}

const std::vector<chat_message_ptr>&
workflow_context::conversation() const noexcept {
  return place_->self->state.said;
}

workflow_actor::pointer workflow_context::self() const noexcept {
  return place_->self;
}

void workflow_context::emit(const std::string& type,
                            const std::string& data) const {
  throw_if(check_event_name(type));
  auto value = parse_json(data);
  if (!value)
    throw co::failure{errc::configuration,
                      "the data of the event \"" + type
                        + "\" is no JSON: " + to_fault(value.error()).message};
  auto all = nlohmann::json{{"type", type}, {"data", std::move(*value)}};
  auto event = run_event{};
  event.type = event_type::custom;
  event.data_json = dump_json(all);
  auto self = place_->self;
  add_event(self, std::move(event));
  flush(self);
}

co::task<std::string> workflow_context::suspend(std::string reason,
                                                std::string resume_key) const {
  return do_suspend(*this, std::move(reason), std::move(resume_key));
}

const std::string& workflow_context::resume_input() const noexcept {
  return place_->self->state.resume_input;
}

co::task<void> workflow_context::artifact(std::string name, std::string content,
                                          std::string media_type) const {
  return keep_artifact(*this, std::move(name), std::move(content),
                       std::move(media_type));
}

co::task<void>
workflow_context::artifact_from_file(std::string name, std::string path,
                                     std::string media_type) const {
  return keep_file(*this, std::move(name), std::move(path),
                   std::move(media_type));
}

co::task<void>
workflow_context::artifact_from_template(std::string name, std::string text,
                                         std::string values,
                                         std::string media_type) const {
  return keep_rendered(*this, std::move(name), std::move(text),
                       std::move(values), std::move(media_type));
}

co::task<void> workflow_context::stage(std::vector<staged_file> files) const {
  return stage_files(*this, std::move(files));
}

co::task<std::vector<std::string>> workflow_context::restore_artifacts() const {
  return write_artifacts(*this);
}

co::task<std::string> workflow_context::run_agent(std::string agent,
                                                  std::string prompt) const {
  return do_agent(*this, std::move(agent), std::move(prompt));
}

co::task<sandbox_actor> workflow_context::sandbox() const {
  return sandbox_of(*this);
}

co::sleep_awaiter workflow_context::sleep(caf::timespan delay) const {
  return co::sleep_for(scheduled(), delay);
}

caf::scheduled_actor* workflow_context::scheduled() const noexcept {
  return place_->self;
}

co::blocking_pool& workflow_context::pool() const noexcept {
  return *place_->self->state.spec.services->pool;
}

} // namespace troupe
