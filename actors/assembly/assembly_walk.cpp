#include "troupe/actors/assembly/assembly_walk.hpp"

#include "troupe/actors/workflow/workflow_run.hpp"

#include <utility>

namespace troupe {

namespace {

/// The place of a participant among those that run at once.
class walk_place {
public:
  explicit walk_place(assembly_walk_ptr walk) : walk_(std::move(walk)) {
    ++walk_->active;
  }

  walk_place(const walk_place&) = delete;
  walk_place& operator=(const walk_place&) = delete;

  ~walk_place() {
    --walk_->active;
    walk_->has_room.set();
  }

private:
  assembly_walk_ptr walk_;
};

std::string input_for(const assembly_walk& walk, const assembly_member& whom,
                      const member_order& order) {
  auto is_by_edge = order.input || order.map;
  const auto& own = is_by_edge ? order.input : whom.input;
  const auto& map = is_by_edge ? order.map : whom.map;
  auto result = order.text.empty() ? default_input(walk.so_far, order.before)
                                   : order.text;
  if (own) {
    auto filled = fill_input(*own, walk.so_far);
    if (!filled)
      throw co::failure{std::move(filled.error())};
    result = std::move(*filled);
  }
  if (map)
    result = map(walk.so_far);
  auto earlier = whom.has_history ? transcript(walk.so_far) : std::string{};
  if (!earlier.empty())
    result = "What was said before:\n\n" + earlier + "\n\n" + result;
  return result;
}

/// What was said in the conversation before this run's own input: the end of
/// it, where it is long.
std::string earlier_runs(const workflow_state& state) {
  constexpr auto most = size_t{64} << 10;
  auto result = std::string{};
  if (state.said.empty())
    return result;
  for (auto i = state.said.size() - 1; i-- > 0 && result.size() < most;) {
    const auto& one = *state.said[i];
    auto who = one.role == message_role::user ? "User:\n" : "Answer:\n";
    result = who + one.text + (result.empty() ? "" : "\n\n") + result;
  }
  return result;
}

void record(assembly_walk& walk, const std::string& name,
            const participant_answer& answer) {
  walk.so_far.outputs[name] = answer.text;
  walk.results[name] = answer.output_json;
  walk.so_far.errors.erase(name);
  walk.so_far.order.push_back(name);
}

void record(assembly_walk& walk, const std::string& name,
            const caf::error& why) {
  walk.so_far.outputs.erase(name);
  walk.results.erase(name);
  walk.so_far.errors[name] = to_fault(why).message;
  walk.so_far.order.push_back(name);
}

} // namespace

assembly_walk_ptr begin_walk(const workflow_context& flow, std::string task,
                             uint32_t most_at_once) {
  auto result = std::make_shared<assembly_walk>();
  result->so_far.task = std::move(task);
  result->so_far.context_json = flow.invocation().context_json;
  result->so_far.earlier_runs = earlier_runs(flow.where().self->state);
  result->most_at_once = most_at_once;
  return result;
}

co::task<participant_answer>
ask_member(workflow_context flow, assembly_walk_ptr walk, assembly_member whom,
           member_order order) {
  auto self = flow.where().self;
  while (walk->active >= walk->most_at_once) {
    walk->has_room.reset();
    co_await walk->has_room.wait(self);
  }
  auto place = walk_place{walk};
  auto request = participant_order{
    input_for(*walk, whom, order), order.is_answer, order.before, {}};
  auto failed = caf::error{};
  auto answer = participant_answer{};
  try {
    auto asked = ask_participant(flow, whom.who, std::move(request));
    answer = co_await asked;
  } catch (const co::failure& why) {
    failed = why.reason();
  }
  if (failed) {
    record(*walk, whom.who->name, failed);
    throw co::failure{std::move(failed)};
  }
  record(*walk, whom.who->name, answer);
  co_return answer;
}

std::string answer_with(const workflow_context& flow, const assembly_walk& walk,
                        const std::string& member) {
  auto& object = flow.where().self->state.record.object;
  object.output_json = walk.results.at(member);
  return walk.so_far.outputs.at(member);
}

} // namespace troupe
