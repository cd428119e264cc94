#include "troupe/actors/assembly_builder.hpp"
#include "troupe/actors/workflow/workflow_participants.hpp"
#include "troupe/runtime/co/for_each.hpp"

#include <utility>

namespace troupe {

namespace {

/// Who a workflow names, with its definition.
participant_ptr find_member(const workflow_context& flow, const member& who,
                            const std::string& input) {
  const auto& x = who.settings();
  if (x.own)
    throw co::failure{errc::configuration,
                      "a workflow asks whom the runtime knows: give the agent "
                      "to the runtime and name it"};
  if (x.input || x.map || x.history)
    throw co::failure{errc::configuration,
                      "a workflow says itself what \"" + x.agent
                        + "\" is asked: input and history have no meaning"};
  auto result = participant{};
  auto request = run_request{};
  request.agent = x.agent;
  request.input = input;
  result.name = x.agent;
  result.what = find_definition(*flow.where().self->state.catalog, request);
  // A workflow in code decides about everything; what it says is not opt-in.
  result.has_context = true;
  result.timeout = x.timeout;
  result.retries = x.retries;
  result.retry_on = x.retry_on;
  return std::make_shared<const participant>(std::move(result));
}

co::task<std::string> invoke_one(workflow_context flow, member who,
                                 std::string input, bool is_answer) {
  auto found = find_member(flow, who, input);
  auto order = participant_order{std::move(input), is_answer, {}, {}};
  auto asked = ask_participant(flow, std::move(found), std::move(order));
  auto answer = co_await asked;
  co_return answer.text;
}

/// One of several: their names are settled before any begins, so that each has
/// its own again when the run is gone on with.
struct named_call {
  participant_ptr who;
  participant_order order;
  std::string* out = nullptr;
};

co::task<void> run_call(workflow_context flow, named_call call) {
  auto asked = ask_participant(flow, std::move(call.who),
                               std::move(call.order));
  auto answer = co_await asked;
  *call.out = std::move(answer.text);
}

co::task<std::vector<std::string>>
invoke_all(workflow_context flow, std::vector<participant_call> calls,
           std::size_t limit) {
  auto result = std::vector<std::string>(calls.size());
  auto named = std::vector<named_call>{};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    auto who = find_member(flow, calls[i].who, calls[i].input);
    auto name = name_of_step(flow, *who, {});
    auto order = participant_order{
      std::move(calls[i].input), false, {}, step_turn{name, name}};
    named.push_back({std::move(who), std::move(order), &result[i]});
  }
  auto step = std::function<co::task<void>(named_call)>{
    [flow](named_call call) { return run_call(flow, std::move(call)); }};
  auto all = co::for_each(std::move(named), limit, std::move(step));
  co_await all;
  co_return result;
}

} // namespace

co::task<std::string> workflow_context::invoke(member who,
                                               std::string input) const {
  return invoke_one(*this, std::move(who), std::move(input), false);
}

co::task<std::string> workflow_context::answer(member who,
                                               std::string input) const {
  return invoke_one(*this, std::move(who), std::move(input), true);
}

co::task<std::vector<std::string>>
workflow_context::parallel(std::vector<participant_call> calls,
                           std::size_t limit) const {
  return invoke_all(*this, std::move(calls), limit);
}

} // namespace troupe
