#include "troupe/actors/supervise/list_tree.hpp"

#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/when_all.hpp"

#include "caf/abstract_actor.hpp"
#include "caf/actor_cast.hpp"
#include "caf/actor_system.hpp"
#include "caf/scheduled_actor.hpp"

#include <utility>

namespace troupe {

namespace {

using supervisor_ptr = supervisor_actor::stateful_pointer<supervisor_state>;

/// One child and, when it is a supervisor, what is beneath it.
struct branch_of_tree {
  child_ptr child;
  child_info info;
  std::vector<child_info> beneath;
};

/// Whether `actor` waits for messages. Of another actor's mailbox only this
/// is safe to read: it is one atomic load, while counting belongs to the
/// owner.
bool is_idle(const caf::actor& actor) {
  auto* any = caf::actor_cast<caf::abstract_actor*>(actor);
  auto* local = dynamic_cast<caf::scheduled_actor*>(any);
  return local != nullptr && local->mailbox().blocked();
}

bool tells_its_load(supervisor_ptr self, const caf::actor& actor) {
  auto& system = self->system();
  auto* any = caf::actor_cast<caf::abstract_actor*>(actor);
  auto wanted = system.message_types(measured_actor{});
  return system.assignable(any->message_types(), wanted);
}

branch_of_tree look_at(const child_ptr& child) {
  auto result = branch_of_tree{child, {}, {}};
  auto& info = result.info;
  info.id = child->spec.id;
  info.kind = child->spec.kind;
  info.state = child->state;
  info.restarts = child->restarts;
  if (!child->actor || is_idle(child->actor))
    info.mailbox = 0;
  return result;
}

bool has_more_to_tell(supervisor_ptr self, const branch_of_tree& x) {
  if (!x.child->actor)
    return false;
  return x.info.kind == child_kind::supervisor
         || (x.info.mailbox == child_info::unknown_mailbox
             && tells_its_load(self, x.child->actor));
}

/// Completes one branch; a child that does not answer leaves it as it is.
co::task<void> ask(supervisor_ptr self, branch_of_tree* out,
                   caf::timespan limit) {
  auto actor = out->child->actor;
  if (out->info.mailbox == child_info::unknown_mailbox) {
    auto measured = caf::actor_cast<measured_actor>(actor);
    auto asked = co::request_urgently<int64_t>(self, measured, limit,
                                               measure_mailbox{});
    auto count = co_await co::as_expected(std::move(asked));
    if (count)
      out->info.mailbox = *count;
  }
  if (out->info.kind != child_kind::supervisor)
    co_return;
  auto supervisor = caf::actor_cast<supervisor_actor>(actor);
  auto asked = co::request<child_list>(self, supervisor, limit,
                                       list_children{limit});
  auto list = co_await co::as_expected(std::move(asked));
  if (list)
    out->beneath = std::move(list->children);
}

child_list flatten(std::vector<branch_of_tree> tree) {
  auto result = child_list{};
  for (auto& x : tree) {
    result.children.push_back(std::move(x.info));
    for (auto& info : x.beneath) {
      ++info.depth;
      result.children.push_back(std::move(info));
    }
  }
  return result;
}

} // namespace

co::task<child_list> list_tree(supervisor_ptr self,
                               std::vector<child_ptr> children,
                               caf::timespan limit) {
  auto tree = std::vector<branch_of_tree>{};
  for (auto& child : children)
    tree.push_back(look_at(child));
  auto questions = std::vector<co::task<void>>{};
  for (auto& x : tree)
    if (has_more_to_tell(self, x))
      questions.push_back(ask(self, &x, limit / 2));
  co_await co::when_all(std::move(questions));
  co_return flatten(std::move(tree));
}

} // namespace troupe
