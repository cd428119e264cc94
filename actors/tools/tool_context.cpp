#include "troupe/actors/tools/tool_context.hpp"

#include "troupe/actors/tools/call_data.hpp"
#include "troupe/actors/tools/tool.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

namespace troupe {

tool_actor::pointer tool_context::self() const noexcept {
  return data_->self;
}

const invocation& tool_context::invocation() const noexcept {
  return *data_->request.invocation;
}

const std::string& tool_context::call_id() const noexcept {
  return data_->request.call.id;
}

const std::string& tool_context::idempotency_key() const noexcept {
  return data_->idempotency_key;
}

std::string tool_context::state(const std::string& key) const {
  auto changed = data_->changes.find(key);
  if (changed != data_->changes.end())
    return changed->second == "null" ? std::string{} : changed->second;
  auto all = parse_object(*data_->request.state_json);
  if (!all || !all->contains(key))
    return {};
  return dump_json((*all)[key]);
}

void tool_context::set_state(const std::string& key,
                             const std::string& json_text) const {
  auto value = parse_json(json_text);
  if (!value)
    throw std::invalid_argument{"the run state holds JSON only: "
                                + to_fault(value.error()).message};
  data_->changes[key] = json_text;
}

void tool_context::artifact(std::string name, std::string bytes,
                            std::string media_type) const {
  auto file = tool_artifact{std::move(name), std::move(media_type),
                            shared<std::string>{std::move(bytes)}};
  data_->files.push_back({std::move(file), {}});
}

void tool_context::artifact(std::string name, std::string media_type,
                            std::function<std::string()> resolver) const {
  if (!resolver)
    throw tool_error{"nothing makes the artifact \"" + name + "\""};
  auto file = tool_artifact{std::move(name), std::move(media_type), {}};
  data_->files.push_back({std::move(file), std::move(resolver)});
}

const sandbox_actor& tool_context::sandbox() const {
  if (!data_->sandbox)
    throw tool_error{"this tool was not declared with uses_sandbox"};
  return data_->sandbox;
}

int64_t tool_context::deadline() const noexcept {
  return data_->request.deadline;
}

bool tool_context::cancelled() const noexcept {
  return data_->is_cancelled.load();
}

co::sleep_awaiter tool_context::sleep(caf::timespan delay) const {
  return co::sleep_for(scheduled(), delay);
}

caf::scheduled_actor* tool_context::scheduled() const noexcept {
  return data_->self;
}

co::blocking_pool& tool_context::pool() const noexcept {
  return *data_->pool;
}

std::string key_of_call(const invocation& run, uint64_t record,
                        const std::string& call_id) {
  auto is_step = run.session_id.starts_with(run.run_id + "/");
  return (is_step ? run.session_id : run.run_id) + "/" + std::to_string(record)
         + "/" + call_id;
}

std::string state_patch(const tool_context::call_data& data) {
  if (data.changes.empty())
    return {};
  auto result = nlohmann::json::object();
  for (const auto& [key, text] : data.changes)
    if (auto value = parse_json(text))
      result[key] = std::move(*value);
  return dump_json(result);
}

} // namespace troupe
