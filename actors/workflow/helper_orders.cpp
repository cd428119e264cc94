#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/workflow/helper_host.hpp"
#include "troupe/actors/workflow/helper_record.hpp"
#include "troupe/actors/workflow/helper_tools.hpp"
#include "troupe/config/nearest_name.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/run_budget.hpp"
#include "troupe/runtime/run/timestamp.hpp"
#include "troupe/sandbox/sha256.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace troupe {

namespace {

using json = nlohmann::json;

/// What the model is told; everything else is the host's business.
co::failure told(const std::string& what) {
  return co::failure{errc::tool, what};
}

helper_reply reply_with(const json& value) {
  return {dump_json(value), false, false};
}

/// Under what it is kept that a call was obeyed: its id may be any text.
std::string name_of_call(const std::string& key) {
  auto digest = sha256_of(key);
  if (!digest)
    throw co::failure{std::move(digest.error())};
  return "call/" + *digest;
}

/// Whether an earlier attempt of this very call was obeyed. That is stored with
/// what was done, all or nothing.
bool was_obeyed(const workflow_state& state, const helper_order& x) {
  return state.values.contains(name_of_call(x.key));
}

/// The helper that such a call began.
helper_ptr begun_by(const workflow_state& state, const helper_order& x) {
  return state.helpers->all.at(state.values.at(name_of_call(x.key)));
}

json state_of(const helper& one) {
  return {{"id", one.id},
          {"kind", one.kind},
          {"status", to_string(one.status)}};
}

/// What the model sees of an answer: the checked result, or the text.
json output_of(const participant_answer& answer) {
  if (!answer.output_json.empty())
    if (auto value = parse_json(answer.output_json))
      return std::move(*value);
  return sanitize_utf8(answer.text);
}

/// What a helper does. How long it has been at work tells one look at it from
/// the next: to wait is no loop.
json progress_of(const helper& one) {
  auto result = state_of(one);
  if (one.status == helper_status::running)
    result["milliseconds"] = (now_micros() - one.at_work_since) / 1000;
  return result;
}

/// The same with what it has come to.
json outcome_of(const helper& one) {
  auto result = progress_of(one);
  if (one.status == helper_status::completed)
    result["output"] = output_of(one.answer);
  if (one.status == helper_status::failed)
    result["error"] = {{"kind", to_string(one.why.kind)},
                       {"message", one.why.message}};
  return result;
}

helper_ptr find_subagent(const workflow_state& state, const std::string& id) {
  const auto& all = state.helpers->all;
  auto known = std::vector<std::string>{};
  for (const auto& [name, one] : all)
    if (one->is_subagent)
      known.push_back(name);
  if (std::count(known.begin(), known.end(), id) > 0)
    return all.at(id);
  auto near = nearest_name(id, known);
  throw told("there is no subagent \"" + sanitize_utf8(id) + "\""
             + (near ? "; did you mean \"" + *near + "\"?" : ""));
}

/// Whether it takes one of the places of its kind.
bool is_there(const helper& one) {
  return one.status != helper_status::stopped
         && one.status != helper_status::failed;
}

void check_depth(const workflow_state& state) {
  auto depth = state.budget->limits().depth;
  if (state.spec.depth >= depth)
    throw told("not started: agents may start others " + std::to_string(depth)
               + " deep at most (limits.max_depth)");
}

void check_room(const workflow_state& state, const std::string& kind) {
  const auto& table = *state.helpers;
  auto there
    = std::count_if(table.all.begin(), table.all.end(), [&](const auto& x) {
        return x.second->is_subagent && x.second->kind == kind
               && is_there(*x.second);
      });
  auto most = table.agent->helpers->kinds.at(kind).max;
  if (there >= most)
    throw told("not started: there are " + std::to_string(most)
               + " subagents of the kind \"" + kind
               + "\", the most at once; stop one first");
}

co::task<helper_reply> spawn(workflow_ptr self, helper_order order,
                             json arguments) {
  auto& state = self->state;
  if (was_obeyed(state, order))
    co_return reply_with(state_of(*begun_by(state, order)));
  auto kind = arguments.value("kind", std::string{});
  check_depth(state);
  check_room(state, kind);
  auto one = start_helper(self, kind, true,
                          arguments.value("task", std::string{}),
                          name_of_call(order.key));
  co_return reply_with(state_of(*one));
}

/// Tells a subagent that works; whether it was heard.
co::task<bool> interrupt(workflow_ptr self, helper_ptr one, interject what) {
  auto step = step_of(self->state, *one);
  if (!step) { // it has not begun, or just ended
    auto& changed = self->state.helpers->changed;
    changed.reset();
    co_await changed.wait(self);
    co_return false;
  }
  auto asked = co::request<interjection_end>(self, step->actor, caf::infinite,
                                             std::move(what));
  auto heard = co_await co::as_expected(std::move(asked));
  if (heard)
    co_return true;
  co_await step->is_over.wait(self);
  co_return false;
}

void check_can_hear(const helper& one) {
  if (one.status == helper_status::stopped)
    throw told("\"" + one.id + "\" was stopped");
  if (one.status == helper_status::failed)
    throw told("\"" + one.id + "\" has failed: " + one.why.message);
  if (one.status == helper_status::waiting)
    throw told("\"" + one.id + "\" waits for a person");
}

co::task<helper_reply> message(workflow_ptr self, helper_order order,
                               json arguments) {
  auto& state = self->state;
  auto one = find_subagent(state, arguments.value("id", std::string{}));
  auto text = arguments.value("message", std::string{});
  auto is_heard = was_obeyed(state, order);
  while (!is_heard) {
    check_can_hear(*one);
    if (one->status == helper_status::running) {
      auto what = interject{text, {}, state.prefix + name_of_call(order.key)};
      is_heard = co_await interrupt(self, one, std::move(what));
      continue;
    }
    go_on(self, one, text, name_of_call(order.key));
    is_heard = true;
  }
  co_return reply_with(state_of(*one));
}

std::vector<helper_ptr> awaited(const workflow_state& state,
                                const json& arguments) {
  auto result = std::vector<helper_ptr>{};
  auto ids = arguments.value("ids", std::vector<std::string>{});
  for (const auto& id : ids)
    result.push_back(find_subagent(state, id));
  if (ids.empty())
    for (const auto& [id, one] : state.helpers->all)
      if (one->is_subagent)
        result.push_back(one);
  return result;
}

bool any_is(const std::vector<helper_ptr>& all, helper_status status) {
  return std::any_of(all.begin(), all.end(), [&](const helper_ptr& one) {
    return one->status == status;
  });
}

/// Waits until none of them works; whether that came in time.
co::task<bool> await_all(workflow_ptr self, std::vector<helper_ptr> all,
                         std::optional<caf::timespan> limit) {
  using clock = std::chrono::steady_clock;
  auto& changed = self->state.helpers->changed;
  auto end = clock::now() + limit.value_or(caf::timespan{0});
  while (any_is(all, helper_status::running)) {
    changed.reset();
    if (!limit) {
      co_await changed.wait(self);
      continue;
    }
    auto left = std::chrono::duration_cast<caf::timespan>(end - clock::now());
    auto is_new = co_await changed.wait_for(self, left);
    if (!is_new)
      co_return false;
  }
  co_return true;
}

std::optional<caf::timespan> timeout_in(const json& arguments) {
  auto found = arguments.find("timeout");
  if (found == arguments.end())
    return std::nullopt;
  using seconds = std::chrono::duration<double>;
  return std::chrono::duration_cast<caf::timespan>(
    seconds{found->get<double>()});
}

co::task<helper_reply> wait(workflow_ptr self, json arguments) {
  auto all = awaited(self->state, arguments);
  auto in_time = co_await await_all(self, all, timeout_in(arguments));
  if (in_time && any_is(all, helper_status::waiting))
    co_return helper_reply{{}, false, true};
  auto results = json::array();
  for (const auto& one : all)
    results.push_back(outcome_of(*one));
  co_return reply_with(
    {{"results", std::move(results)}, {"timed_out", !in_time}});
}

helper_reply list(const workflow_state& state) {
  auto all = json::array();
  for (const auto& [id, one] : state.helpers->all)
    if (one->is_subagent)
      all.push_back(progress_of(*one));
  return reply_with({{"subagents", std::move(all)}});
}

co::task<helper_reply> stop(workflow_ptr self, json arguments) {
  auto one = find_subagent(self->state, arguments.value("id", std::string{}));
  if (is_there(*one))
    co_await stop_helper(self, one);
  co_return reply_with(state_of(*one));
}

/// One call of an assembly as a tool.
co::task<helper_reply> call(workflow_ptr self, helper_order order,
                            json arguments) {
  auto& state = self->state;
  auto one = helper_ptr{};
  if (!was_obeyed(state, order)) {
    check_depth(state);
    one = start_helper(self, order.tool, false,
                       arguments.value("input", std::string{}),
                       name_of_call(order.key));
  } else {
    one = begun_by(state, order);
  }
  co_await await_helper(self, one);
  if (one->status == helper_status::waiting)
    co_return helper_reply{{}, false, true};
  if (one->status == helper_status::completed)
    co_return reply_with({{"output", output_of(one->answer)}});
  throw told(to_string(one->why.kind) + ": " + one->why.message);
}

co::task<helper_reply> obey_tool(workflow_ptr self, helper_order order) {
  auto arguments = parse_object(order.arguments);
  if (!arguments)
    throw co::failure{std::move(arguments.error())};
  if (order.tool == spawn_tool)
    return spawn(self, std::move(order), std::move(*arguments));
  if (order.tool == message_tool)
    return message(self, std::move(order), std::move(*arguments));
  if (order.tool == wait_tool)
    return wait(self, std::move(*arguments));
  if (order.tool == stop_tool)
    return stop(self, std::move(*arguments));
  return call(self, std::move(order), std::move(*arguments));
}

} // namespace

co::task<helper_reply> obey(workflow_ptr self, helper_order order) {
  auto& state = self->state;
  if (!state.helpers || state.is_ending)
    throw co::failure{errc::cancelled, "nobody works for this run"};
  if (order.tool == list_tool)
    co_return list(state);
  auto failed = std::optional<std::string>{};
  try {
    auto work = obey_tool(self, std::move(order));
    co_return co_await work;
  } catch (const co::failure& why) {
    failed = to_fault(why.reason()).message;
  }
  co_return helper_reply{dump_json({{"error", *failed}}), true, false};
}

} // namespace troupe
