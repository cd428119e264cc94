#include "troupe/actors/run/run_artifacts.hpp"

#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

namespace troupe {

void add_artifact(run_base& run, std::string name, std::string content,
                  std::string media_type) {
  auto event = run_event{};
  event.type = event_type::artifact;
  event.data_json = dump_json(nlohmann::json{
    {"name", name}, {"media_type", media_type}, {"bytes", content.size()}});
  auto size = content.size();
  run.pending.artifacts.push_back({std::move(name), std::move(media_type),
                                   now_micros(), size, std::move(content)});
  add_event(run, std::move(event));
}

} // namespace troupe
