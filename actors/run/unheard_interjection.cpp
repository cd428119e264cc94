#include "troupe/actors/run/unheard_interjection.hpp"

#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

namespace troupe {

namespace {

caf::error unsaid(const std::string& why) {
  return make_error(errc::cancelled, "it could not be said any more: " + why);
}

} // namespace

caf::error too_late(run_status end) {
  return unsaid(end == run_status::suspended
                  ? "the run waits; say it when it is gone on with"
                  : "the run is over");
}

run_event interjection_event(const unheard_interjection& x, uint64_t record) {
  auto is_delivered = x.outcome == interjection_outcome::delivered;
  auto result = run_event{};
  result.type = event_type::interjection;
  result.text = x.what.text;
  result.record = record;
  result.data_json = dump_json(
    nlohmann::json{{"outcome", is_delivered ? "delivered" : "next_input"}});
  return result;
}

void settle(const unheard_interjections& all, const run_object& run) {
  for (const auto& one : all) {
    if (!one->lost && run.error.kind == errc::storage)
      one->lost = unsaid("the conversation could not be stored");
    one->is_settled.set();
  }
}

} // namespace troupe
