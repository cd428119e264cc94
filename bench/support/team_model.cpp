#include "support/team_model.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace troupe::bench {

namespace {

model_event stop_for(stop_reason why) {
  auto result = model_event{};
  result.kind = model_event_kind::stop;
  result.stop = why;
  return result;
}

model_batch say(std::string text) {
  auto event = model_event{};
  event.text = std::move(text);
  return {{std::move(event), stop_for(stop_reason::end_turn)}, {}};
}

void add_call(model_batch& batch, std::string name, std::string arguments) {
  auto event = model_event{};
  event.kind = model_event_kind::tool_call;
  event.call = {"call_" + std::to_string(batch.events.size()),
                std::move(name),
                std::move(arguments),
                {}};
  batch.events.push_back(std::move(event));
}

model_batch call(std::string name, std::string arguments, size_t times = 1) {
  auto result = model_batch{};
  for (size_t i = 0; i < times; ++i)
    add_call(result, name, arguments);
  result.events.push_back(stop_for(stop_reason::tool_use));
  return result;
}

/// How often the model has answered in this conversation.
size_t turns_in(const model_request& request) {
  auto result = size_t{0};
  for (const auto& one : request.messages)
    result += one->role == message_role::assistant ? 1 : 0;
  return result;
}

model_batch answer(const model_request& request) {
  auto id = std::string_view{request.model};
  auto turn = turns_in(request);
  if (id.starts_with("hand:"))
    return call("handoff", R"({"to":")" + std::string{id.substr(5)} + R"("})");
  if (id.starts_with("start:") && turn == 0)
    return call("subagent_spawn", R"({"kind":"one","task":"t"})",
                std::stoul(std::string{id.substr(6)}));
  if (id.starts_with("start:") && turn == 1)
    return call("subagent_wait", "{}");
  if (id == "sleep" && turn == 0)
    return call("shell", R"({"command":"exec sleep 3600"})");
  return say("That is all there is to say about it.");
}

} // namespace

model_actor::behavior_type team_model(model_actor::pointer) {
  return {
    [](const model_request& x) { return answer(x); },
    [](co::cancel_request) {},
  };
}

} // namespace troupe::bench
