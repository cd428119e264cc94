#include "troupe/actors/permission/callback_approver.hpp"

#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/serve.hpp"

#include <utility>

namespace troupe {

namespace {

using approver_ptr = approver_actor::stateful_pointer<callback_approver_state>;

/// What an answer of `always` is bound to.
std::string binding_of(const permission_request& x) {
  auto result = std::string{};
  for (const auto* part : {&x.agent, &x.invocation.session_id,
                           &x.invocation.actor_id, &x.capability, &x.subject})
    result += std::to_string(part->size()) + ':' + *part;
  return result;
}

/// The turn to ask; the next question's when it goes.
class question_turn {
public:
  explicit question_turn(callback_approver_state& state) : state_(state) {
    state_.is_asking = true;
    state_.is_free.reset();
  }

  question_turn(const question_turn&) = delete;
  question_turn& operator=(const question_turn&) = delete;

  ~question_turn() {
    state_.is_asking = false;
    state_.is_free.set();
  }

private:
  callback_approver_state& state_;
};

co::task<permission_answer> ask(approver_ptr self, permission_request request) {
  auto& state = self->state;
  while (state.is_asking)
    co_await state.is_free.wait(self);
  auto binding = binding_of(request);
  if (state.remembered.contains(binding))
    co_return permission_answer{permission_verdict::allow, {}};
  auto turn = question_turn{state};
  auto call = std::function<permission_answer()>{
    [callback = state.callback, request = std::move(request)] {
      return callback(request);
    }};
  auto asked = co::offload(self, *state.pool, std::move(call));
  auto answer = co_await asked;
  if (answer.verdict == permission_verdict::always)
    state.remembered.insert(std::move(binding));
  co_return answer;
}

} // namespace

approver_actor::behavior_type
callback_approver_behavior(approver_ptr self, ask_callback callback,
                           std::shared_ptr<co::blocking_pool> pool) {
  self->state.callback = std::move(callback);
  self->state.pool = std::move(pool);
  return {co::serve(self, ask), co::serve_cancel(self)};
}

} // namespace troupe
