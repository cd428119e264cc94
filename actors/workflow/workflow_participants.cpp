#include "troupe/actors/workflow/workflow_participants.hpp"

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/run/run_steps.hpp"
#include "troupe/actors/workflow/helper_host.hpp"
#include "troupe/actors/workflow/step_spec.hpp"
#include "troupe/actors/workflow/workflow_files.hpp"
#include "troupe/runtime/assembly/graph_plan.hpp"
#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/run_recovery.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace troupe {

namespace {

/// What is stored of a participant that has answered.
std::string answer_json(const participant_answer& x) {
  if (x.final_call_json.empty() && x.output_json.empty())
    return dump_json(nlohmann::json(x.text));
  auto value = nlohmann::json{{"text", x.text}};
  if (!x.final_call_json.empty())
    value["final_call"] = x.final_call_json;
  if (!x.output_json.empty())
    value["output"] = x.output_json;
  return dump_json(value);
}

participant_answer answer_from(const std::string& json_text) {
  auto value = parse_json(json_text);
  if (!value)
    return {json_text};
  if (value->is_string())
    return {value->get<std::string>()};
  return {value->value("text", std::string{}),
          value->value("final_call", std::string{}),
          value->value("output", std::string{})};
}

participant_answer answer_of(const run_object& x) {
  return {x.response, x.final_call_json, x.output_json};
}

/// What the run can give when its time is up: what whoever answers for it has
/// said, or else the last answer there was.
void keep_answer(workflow_state& state, const participant_step& one) {
  auto is_partial = one.object.status == run_status::partial;
  auto says_nothing = one.object.response.empty() // but to hand over
                      && !one.object.final_call_json.empty();
  auto counts = one.object.has_response && !says_nothing
                && (one.is_main || !state.helpers)
                && (one.object.status == run_status::completed || is_partial);
  if (counts)
    state.last_answer = one.object.response;
}

void record_stop(workflow_ptr self, participant_step& one) {
  auto& state = self->state;
  auto& object = one.object;
  keep_answer(state, one);
  if (one.is_main) {
    auto& failures = state.record.object.cleanup_failures;
    failures = object.cleanup_failures;
    return;
  }
  if (object.status == run_status::completed)
    keep_value(state, "agent/" + one.name, answer_json(answer_of(object)));
  auto& failures = state.record.object.cleanup_failures;
  for (const auto& failure : object.cleanup_failures)
    failures.push_back(one.name + ": " + failure);
  record_step_stop(state, path_in(state, one.name), one.participant,
                   object.status,
                   object.has_error ? to_string(object.error.kind) : "");
}

/// The participants that run have come to rest. If any waits, for a person or
/// for input, so does the run; what else it did goes on in its next leg.
void rest(workflow_ptr self) {
  auto& state = self->state;
  if (state.is_ending || (state.approvals.empty() && !state.waits_for))
    return;
  auto outcome = run_outcome{};
  outcome.status = run_status::suspended;
  if (state.approvals.empty())
    outcome.waits_for = std::move(*state.waits_for);
  else
    outcome.waits_for = {"approval", {}, std::move(state.approvals), {}};
  begin_ending(self, std::move(outcome));
}

/// What a participant that has stopped waits for.
void take_suspension(workflow_state& state, run_object& object) {
  if (object.status != run_status::suspended)
    return;
  auto& waits_for = object.suspension;
  for (auto& call : waits_for.approvals)
    state.approvals.push_back(std::move(call));
  // One that waits for those that work for it names nothing itself.
  auto is_first = !state.waits_for || state.waits_for->id.empty();
  if (waits_for.approvals.empty() && is_first)
    state.waits_for = std::move(waits_for);
}

/// Follows a participant to its end, whatever becomes of the coroutine that
/// asked it.
co::task<void> follow(workflow_ptr self,
                      std::shared_ptr<participant_step> one) {
  auto& state = self->state;
  auto asked = co::request<run_object>(self, one->actor, caf::infinite,
                                       await_run{});
  auto object = co_await co::as_expected(std::move(asked));
  if (object) {
    one->object = std::move(*object);
  } else {
    one->object.status = run_status::failed;
    one->object.has_error = true;
    one->object.error = to_fault(object.error());
  }
  one->actor = nullptr;
  record_stop(self, *one);
  flush(self);
  std::erase(state.active, one);
  take_suspension(state, one->object);
  note_step(self, *one);
  if (state.active.empty()) {
    rest(self);
    state.all_over.set();
  }
  one->is_over.set();
}

/// Wants an answer; when it goes before there is one, nobody does.
class answer_wish {
public:
  answer_wish(workflow_ptr self, std::shared_ptr<participant_step> one)
    : self_(self),
      one_(std::move(one)) {
    // nop
  }

  answer_wish(const answer_wish&) = delete;
  answer_wish& operator=(const answer_wish&) = delete;

  ~answer_wish() {
    if (one_->actor && !self_->state.is_ending)
      self_->send(one_->actor, cancel_run{"nobody waits for it any more"});
  }

private:
  workflow_ptr self_;
  std::shared_ptr<participant_step> one_;
};

/// Follows a step from here on.
void watch(workflow_ptr self, const std::shared_ptr<participant_step>& one) {
  auto& state = self->state;
  state.active.push_back(one);
  state.all_over.reset();
  state.running.spawn(self, participant_key, follow(self, one));
  state.someone_works.set();
  state.someone_works.reset();
  note_step(self, *one);
}

/// The steps that led to the next one: the last ones of the participants
/// `before`, or that which this assembly is itself.
std::vector<std::string> steps_before(const workflow_state& state,
                                      const std::vector<std::string>& before) {
  auto result = std::vector<std::string>{};
  for (const auto& name : before)
    if (auto found = state.last_steps.find(name);
        found != state.last_steps.end())
      result.push_back(found->second);
  if (result.empty() && !state.spec.place.path.empty())
    result.push_back(state.spec.place.path);
  return result;
}

// Names of what is stored are made of it, and a key of the store has no more
// than 511 bytes.
constexpr auto longest_path = size_t{340};

constexpr auto deepest = size_t{32};

/// A definition that is made while it runs may have no end.
void check_place(const workflow_state& state, const std::string& path) {
  if (path.size() > longest_path)
    throw co::failure{
      errc::configuration,
      "the names of steps within steps have " + std::to_string(path.size())
        + " bytes here, more than " + std::to_string(longest_path) + ": "
        + path.substr(0, 80) + "..."};
  if (state.spec.place.assemblies.size() >= deepest)
    throw co::failure{
      errc::limit, "assemblies are nested " + std::to_string(deepest)
                     + " deep, the most there may be: " + path.substr(0, 80)};
}

std::shared_ptr<participant_step>
start_step(workflow_ptr self, const participant& who, std::string name,
           const participant_order& order,
           std::optional<shared_sandbox> sandbox) {
  auto& state = self->state;
  auto result = std::make_shared<participant_step>();
  result->name = std::move(name);
  result->participant = who.name;
  auto path = path_in(state, result->name);
  check_place(state, path);
  record_step_start(state, path, who.name, steps_before(state, order.before));
  state.last_steps[who.name] = std::move(path);
  flush(self);
  auto run = step_spec(self, who, result->name, order);
  result->actor = spawn_step(self, who, std::move(run), std::move(sandbox));
  watch(self, result);
  return result;
}

/// Waits for the end of a step, which its own limit brings about too; whether
/// it came by itself.
co::task<bool> await_step(workflow_ptr self,
                          std::shared_ptr<participant_step> one,
                          std::optional<caf::timespan> limit) {
  auto in_time = true;
  if (limit)
    in_time = co_await one->is_over.wait_for(self, *limit);
  if (!in_time && one->actor)
    self->send(one->actor, expire_run{});
  co_await one->is_over.wait(self);
  co_return in_time;
}

co::failure out_of_time(const participant_step& one, caf::timespan limit) {
  using milliseconds = std::chrono::milliseconds;
  auto time = std::chrono::duration_cast<milliseconds>(limit).count();
  return co::failure{errc::timeout,
                     "\"" + one.name + "\" has not answered within "
                       + std::to_string(time) + "ms, the most it may take"};
}

/// Waits for the answer of a step. Throws why there is none.
co::task<participant_answer> await_answer(workflow_ptr self,
                                          std::shared_ptr<participant_step> one,
                                          std::optional<caf::timespan> limit) {
  auto wish = answer_wish{self, one};
  auto in_time = co_await await_step(self, one, limit);
  auto& object = one->object;
  if (object.status == run_status::suspended) // the run waits with it
    co_await self->state.next_leg.wait(self);
  if (!in_time && object.status == run_status::partial)
    throw out_of_time(*one, *limit);
  if (object.status != run_status::completed)
    throw co::failure{make_error(object.error)};
  co_return answer_of(object);
}

std::optional<caf::timespan> limit_of(const participant& who) {
  auto own = who.what.deadline();
  if (!own || (who.timeout && *who.timeout < *own))
    return who.timeout;
  return own;
}

co::task<std::optional<shared_sandbox>> sandbox_for(workflow_context flow,
                                                    participant_ptr who) {
  if (has_own_sandbox(who->what))
    co_return std::nullopt;
  auto self = flow.where().self;
  if (may_need_sandbox(who->what)) {
    auto files = co_await sandbox_of(flow);
    co_return shared_sandbox{std::move(files), self->state.policy};
  }
  // Any tool may give files, or more than can be shown: there is one place for
  // them, whose limits hold for all.
  if (who->what.agent->tools.empty())
    co_return std::nullopt;
  co_return shared_sandbox{need_sandbox(flow), self->state.policy};
}

/// One try. Throws why there is no answer.
co::task<participant_answer> try_participant(workflow_context flow,
                                             participant_ptr who,
                                             participant_order order) {
  auto self = flow.where().self;
  auto& state = self->state;
  auto name = name_of_step(flow, *who, order);
  auto known = state.values.find("agent/" + name);
  if (known != state.values.end()) {
    state.last_steps[who->name] = path_in(state, name);
    co_return answer_from(known->second);
  }
  auto sandbox = co_await sandbox_for(flow, who);
  if (order.is_answer)
    state.answering = path_in(state, name);
  auto one = start_step(self, *who, std::move(name), order, std::move(sandbox));
  auto answer = co_await await_answer(self, one, limit_of(*who));
  co_await sync(self);
  co_return answer;
}

} // namespace

std::string name_of_step(const workflow_context& flow, const participant& who,
                         const participant_order& order) {
  if (order.turn)
    return order.turn->step;
  const auto& place = flow.where().checkpoint;
  return next_name(flow.where().self->state,
                   place.empty() ? who.name : place + "/" + who.name);
}

co::task<participant_answer> ask_participant(workflow_context flow,
                                             participant_ptr who,
                                             participant_order order) {
  for (auto left = who->retries;; --left) {
    auto failed = caf::error{};
    auto again = order;
    if (again.turn && left < who->retries) { // a retry begins anew
      again.turn->step += "~" + std::to_string(who->retries - left + 1);
      again.turn->conversation = again.turn->step;
    }
    try {
      co_return co_await try_participant(flow, who, std::move(again));
    } catch (const co::failure& why) {
      failed = why.reason();
    }
    if (left == 0 || !is_kind_among(to_fault(failed).kind, who->retry_on))
      throw co::failure{std::move(failed)};
    order.before = {who->name}; // its last try
  }
}

co::task<participant_answer>
ask_main(workflow_context flow, agent_definition_ptr agent, std::string input) {
  auto self = flow.where().self;
  auto who = std::make_shared<participant>();
  who->what = {agent, nullptr};
  auto sandbox = std::optional<shared_sandbox>{};
  if (may_need_sandbox({agent, nullptr})) {
    auto files = co_await sandbox_of(flow);
    sandbox = shared_sandbox{std::move(files), self->state.policy};
  }
  auto one = std::make_shared<participant_step>();
  one->participant = agent->settings.name;
  one->is_main = true;
  one->actor = spawn_main(self, agent, main_spec(self, std::move(input)),
                          std::move(sandbox));
  watch(self, one);
  auto answer = co_await await_answer(self, one, std::nullopt);
  co_return answer;
}

namespace {

/// Who is told what is said to the run: its agent, or the first that works.
std::shared_ptr<participant_step> hearer_in(const workflow_state& state) {
  for (const auto& one : state.active)
    if (one->is_main)
      return one;
  return state.active.front();
}

} // namespace

co::task<interjection_end> pass_on_interjection(workflow_ptr self,
                                                interject what) {
  auto& state = self->state;
  if (auto why = check_blocks(what.blocks))
    throw co::failure{std::move(why)};
  while (!state.is_ending) {
    if (state.active.empty()) {
      co_await state.someone_works.wait(self);
      continue;
    }
    auto one = hearer_in(state);
    auto asked = co::request<interjection_end>(self, one->actor, caf::infinite,
                                               what);
    auto end = co_await co::as_expected(std::move(asked));
    if (end)
      co_return *end;
    if (one->is_main)
      throw co::failure{std::move(end.error())};
    co_await one->is_over.wait(self); // whoever comes next is told
  }
  if (state.has_last_event)
    throw co::failure{too_late(state.record.object.status)};
  auto left = std::make_shared<unheard_interjection>();
  left->what = std::move(what);
  state.unheard_said.push_back(left);
  co_await left->is_settled.wait(self);
  if (left->lost)
    throw co::failure{left->lost};
  co_return interjection_end{left->outcome};
}

co::task<std::string> do_agent(workflow_context flow, std::string agent,
                               std::string prompt) {
  auto self = flow.where().self;
  auto who = participant{};
  who.name = agent;
  auto request = run_request{};
  request.agent = std::move(agent);
  request.input = prompt;
  who.what = find_definition(*self->state.catalog, request);
  auto asked = ask_participant(flow, std::make_shared<participant>(who),
                               {std::move(prompt), false, {}, {}});
  auto answer = co_await asked;
  co_return answer.text;
}

co::task<void> end_participants(workflow_ptr self, run_outcome outcome) {
  auto& state = self->state;
  auto reason = outcome.status == run_status::completed
                  ? std::string{"who it worked for has ended"}
                  : outcome.why.message;
  for (const auto& one : state.active) {
    if (outcome.status == run_status::partial)
      self->send(one->actor, expire_run{});
    else
      self->send(one->actor, cancel_run{reason});
  }
  if (!state.active.empty())
    co_await state.all_over.wait(self);
}

} // namespace troupe
