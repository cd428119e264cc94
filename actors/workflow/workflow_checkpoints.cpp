#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/workflow/workflow_context.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/co/for_each.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/run_json.hpp"
#include "troupe/runtime/run/workflow_names.hpp"

#include <nlohmann/json.hpp>

#include <exception>
#include <utility>

namespace troupe::detail {

namespace {

/// A checkpoint that runs; until its frame goes nothing may suspend the run.
class open_checkpoint {
public:
  explicit open_checkpoint(workflow_ptr self) : self_(self) {
    ++self_->state.open_checkpoints;
  }

  open_checkpoint(const open_checkpoint&) = delete;
  open_checkpoint& operator=(const open_checkpoint&) = delete;

  ~open_checkpoint() {
    --self_->state.open_checkpoints;
  }

private:
  workflow_ptr self_;
};

workflow_ptr self_of(const workflow_context& flow) {
  return flow.where().self;
}

std::string value_name(const std::string& name) {
  return "checkpoint/" + name;
}

void record_failure(workflow_ptr self, const std::string& name,
                    const std::exception_ptr& caught) {
  auto why = to_fault(co::to_error(caught));
  auto data = nlohmann::json{{"name", name}};
  data["error"] = {{"kind", to_string(why.kind)}, {"message", why.message}};
  auto event = run_event{};
  event.type = event_type::checkpoint;
  event.data_json = dump_json(data);
  add_event(self, std::move(event));
  flush(self);
}

void record_value(workflow_ptr self, const std::string& name,
                  std::string text) {
  keep_value(self->state, value_name(name), std::move(text));
  auto event = run_event{};
  event.type = event_type::checkpoint;
  event.data_json = dump_json(nlohmann::json{{"name", name}});
  add_event(self, std::move(event));
}

/// A checkpoint whose name is claimed.
co::task<std::string> do_checkpoint(workflow_context flow, std::string name,
                                    checkpoint_body body) {
  auto self = self_of(flow);
  auto found = self->state.values.find(value_name(name));
  if (found != self->state.values.end())
    co_return found->second;
  auto is_open = open_checkpoint{self};
  auto inner = std::make_shared<workflow_context::place>(flow.where());
  inner->checkpoint = name;
  auto text = std::string{};
  auto caught = std::exception_ptr{};
  try {
    auto work = body(workflow_context{std::move(inner)});
    text = co_await work;
  } catch (...) { // recorded and thrown on
    caught = std::current_exception();
  }
  if (caught) {
    record_failure(self, name, caught);
    std::rethrow_exception(caught);
  }
  record_value(self, name, text);
  co_await sync(self);
  publish(self->state);
  co_return text;
}

void claim_checkpoint(workflow_ptr self, const std::string& name) {
  throw_if(check_name("checkpoint", name));
  claim_name(self->state, value_name(name));
}

/// What one of several checkpoints came to.
struct outcome {
  std::string text;
  std::exception_ptr failure;
};

co::task<void> do_one_of_many(workflow_context flow, std::string name,
                              checkpoint_body body,
                              std::shared_ptr<outcome> out) {
  try {
    out->text = co_await do_checkpoint(flow, std::move(name), std::move(body));
  } catch (...) { // thrown when the others have ended
    out->failure = std::current_exception();
  }
}

} // namespace

co::task<std::string> run_on_pool(workflow_context flow,
                                  std::function<std::string()> function) {
  auto work = flow.offload<std::string>(std::move(function));
  co_return co_await work;
}

co::task<std::string> run_checkpoint(workflow_context flow, std::string name,
                                     checkpoint_body body) {
  claim_checkpoint(self_of(flow), name);
  co_return co_await do_checkpoint(flow, std::move(name), std::move(body));
}

co::task<std::vector<std::string>>
run_checkpoints(workflow_context flow, std::vector<std::string> names,
                std::vector<checkpoint_body> bodies, std::size_t limit) {
  for (const auto& name : names)
    claim_checkpoint(self_of(flow), name);
  auto outcomes = std::vector<std::shared_ptr<outcome>>{};
  auto order = std::vector<std::size_t>{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    outcomes.push_back(std::make_shared<outcome>());
    order.push_back(i);
  }
  auto step = std::function<co::task<void>(std::size_t)>{[&](std::size_t i) {
    return do_one_of_many(flow, names[i], bodies[i], outcomes[i]);
  }};
  auto all = co::for_each(std::move(order), limit, std::move(step));
  co_await all;
  auto texts = std::vector<std::string>{};
  for (auto& one : outcomes) {
    if (one->failure)
      std::rethrow_exception(one->failure);
    texts.push_back(std::move(one->text));
  }
  co_return texts;
}

} // namespace troupe::detail
