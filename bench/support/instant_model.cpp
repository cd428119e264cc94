#include "support/instant_model.hpp"

#include <utility>

namespace troupe::bench {

namespace {

model_event stop_for(stop_reason why) {
  auto result = model_event{};
  result.kind = model_event_kind::stop;
  result.stop = why;
  return result;
}

model_batch answer(const model_request& request) {
  auto result = model_batch{};
  auto event = model_event{};
  if (request.messages.back()->role == message_role::tool) {
    event.kind = model_event_kind::text_delta;
    event.text = "The sum of the two numbers is 5.";
    result.events.push_back(std::move(event));
    result.events.push_back(stop_for(stop_reason::end_turn));
    return result;
  }
  event.kind = model_event_kind::tool_call;
  event.call = {"call_1", "add", R"({"a":2,"b":3})", {}};
  result.events.push_back(std::move(event));
  result.events.push_back(stop_for(stop_reason::tool_use));
  return result;
}

} // namespace

model_actor::behavior_type instant_model(model_actor::pointer) {
  return {
    [](const model_request& x) { return answer(x); },
    [](co::cancel_request) {},
  };
}

} // namespace troupe::bench
