#include "troupe/actors/model/http_model.hpp"

#include "troupe/actors/model/http_answer.hpp"

#include <utility>

namespace troupe {

namespace {

using http_model_ptr
  = model_connection_actor::stateful_pointer<http_model_state>;

} // namespace

model_connection_actor::behavior_type
http_model_behavior(http_model_ptr self, http_model_spec spec) {
  self->state.spec = std::move(spec);
  self->state.streams.limit(self->state.spec.settings.max_in_flight);
  return serve_streams(self, [self](model_request& request) {
    auto& [settings, codec, transport] = self->state.spec;
    auto retries = retry_plan{settings.retry, request.deadline};
    auto server = http_answer_server{codec, transport};
    auto source = std::make_unique<http_answer>(std::move(server),
                                                std::move(request));
    return self->state.streams.start(self, std::move(source), retries);
  });
}

} // namespace troupe
