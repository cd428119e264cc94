#include "troupe/actors/agent/tool_output.hpp"

#include "troupe/actors/agent/preparation.hpp"
#include "troupe/actors/agent/tool_call.hpp"
#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/tools/tool_host.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/content/media_type.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

namespace {

using json = nlohmann::ordered_json;

// What a model is shown of a value that is too long, in characters.
constexpr auto preview_length = size_t{2000};

bool is_too_long(const tool_result& result) {
  return result.content.size() > most_result_bytes;
}

bool is_taken(const std::vector<tool_artifact>& files,
              const std::string& name) {
  return std::any_of(files.begin(), files.end(),
                     [&](const tool_artifact& x) { return x.name == name; });
}

/// The value of a call as a file: a text as it is, so that its lines can be
/// searched, anything else as JSON.
tool_artifact file_of_value(const tool_result& result) {
  auto value = parse_json(result.content);
  auto is_text = value && value->is_string();
  auto file = tool_artifact{};
  auto ending = is_text ? ".txt" : ".json";
  file.name = std::string{"result"} + ending;
  for (auto n = 2; is_taken(result.artifacts, file.name); ++n)
    file.name = "result_" + std::to_string(n) + ending;
  file.media_type = is_text ? "text/plain" : "application/json";
  file.bytes = shared<std::string>{is_text ? value->get<std::string>()
                                           : result.content};
  return file;
}

std::string type_of(const tool_artifact& file) {
  if (!file.media_type.empty())
    return file.media_type;
  auto found = sniff_media_type(*file.bytes, file.name);
  return found.empty() ? "application/octet-stream" : found;
}

json reference_to(const tool_artifact& file, const std::string& path) {
  return {{"name", file.name},
          {"path", path},
          {"media_type", type_of(file)},
          {"bytes", file.bytes->size()}};
}

/// The value of a call as the model sees it, and its files.
std::string with_references(const std::string& content, json files) {
  auto is_object = static_cast<bool>(parse_object(content));
  auto value = is_object ? json::parse(content) : json{};
  if (is_object && !value.contains("artifacts")) {
    value["artifacts"] = std::move(files);
    return value.dump();
  }
  // Kept as a text: it is JSON of any kind, of any depth.
  return "{\"result\":" + content + ",\"artifacts\":" + files.dump() + "}";
}

/// Shows the model those files that it can see.
void show_images(agent_state& state, size_t index,
                 const std::vector<tool_artifact>& files) {
  if (!state.can.images)
    return;
  auto& blocks = state.calls[index].blocks;
  auto budget = most_block_bytes;
  for (const auto& file : files) {
    if (!is_image_type(type_of(file)) || file.bytes->size() > budget
        || blocks.size() == most_message_blocks)
      continue;
    auto block = make_block(file.bytes, file.media_type, file.name);
    if (!block) // it is not what its tool says it is, or too large
      continue;
    budget -= block->size;
    blocks.push_back(std::move(*block));
  }
}

void announce(agent_ptr self, size_t index, const json& reference) {
  auto data = reference;
  data["call_id"] = self->state.calls[index].call.id;
  auto event = run_event{};
  event.type = event_type::artifact;
  event.data_json = data.dump(-1, ' ', false, json::error_handler_t::replace);
  add_event(self, std::move(event));
}

co::task<stored_artifacts> store_files(agent_ptr self,
                                       std::vector<tool_artifact> files) {
  auto order = store_artifacts{};
  const auto& state = self->state;
  order.message = state.key->session.session_id + "/"
                  + std::to_string(state.answer_record);
  for (const auto& file : files)
    order.files.push_back({file.name, *file.bytes});
  auto asked = co::request<stored_artifacts>(self, need_sandbox(self),
                                             caf::infinite, std::move(order));
  auto stored = co_await asked;
  if (stored.paths.size() != files.size())
    throw co::failure{errc::internal, "the sandbox lost an artifact"};
  co_return stored;
}

tool_result not_stored(const tool_result& result, const caf::error& why) {
  auto what = to_fault(why).message;
  if (!result.artifacts.empty())
    return error_result("the files of this call could not be stored: " + what);
  return error_result("the result has " + std::to_string(result.content.size())
                      + " bytes, more than the "
                      + std::to_string(most_result_bytes)
                      + " that can be shown, and could not be stored: " + what
                      + "; ask for less");
}

} // namespace

bool needs_storing(const tool_result& result) {
  return !result.is_error && (is_too_long(result) || !result.artifacts.empty());
}

co::task<tool_result> store_output(agent_ptr self, size_t index,
                                   tool_result result) {
  auto files = result.artifacts;
  auto is_long = is_too_long(result);
  if (is_long)
    files.push_back(file_of_value(result));
  auto failed = caf::error{};
  auto stored = stored_artifacts{};
  try {
    auto storing = store_files(self, files);
    stored = co_await storing;
  } catch (const co::failure& why) {
    failed = why.reason();
  }
  if (failed)
    co_return not_stored(result, failed);
  auto references = json::array();
  for (size_t i = 0; i < files.size(); ++i) {
    references.push_back(reference_to(files[i], stored.paths[i]));
    announce(self, index, references.back());
  }
  if (is_long) {
    auto preview
      = json{{"preview", excerpt(*files.back().bytes, preview_length)},
             {"stored", stored.paths.back()},
             {"bytes", files.back().bytes->size()}};
    result.content = preview.dump(-1, ' ', false,
                                  json::error_handler_t::replace);
    references.erase(references.size() - 1);
  }
  if (!references.empty())
    result.content = with_references(result.content, std::move(references));
  show_images(self->state, index, result.artifacts);
  result.artifacts.clear();
  co_return result;
}

} // namespace troupe
