// A model written in C++: an actor that answers model_request.
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <troupe/actors/troupe.hpp>

#include <iostream>

using namespace troupe;

model_event text(std::string words) {
  auto result = model_event{};
  result.kind = model_event_kind::text_delta;
  result.text = std::move(words);
  return result;
}

model_event stop() {
  auto result = model_event{};
  result.kind = model_event_kind::stop;
  return result;
}

model_actor::behavior_type parrot(model_actor::pointer) {
  return {
    [](const model_request& x) {
      auto answer = model_batch{};
      answer.events = {text("You said " + x.messages.back()->text), stop()};
      return answer;
    },
    [](co::cancel_request) {
      // nop: it answers at once
    },
  };
}

int main() {
  auto config = caf::actor_system_config{};
  register_messages(config);
  auto system = caf::actor_system{config};
  auto options = runtime_options{};
  options.settings.storage.in_memory = true;
  options.models["pet"] = system.spawn(parrot);
  options.agents = {agent{"polly"}.model("pet:parrot")};
  auto host = runtime{system, options};
  std::cout << host.ask("polly", "hello").response << "\n";
}
