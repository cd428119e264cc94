#include "troupe/actors/runtime.hpp"

#include "troupe/actors/definition_catalog.hpp"
#include "troupe/actors/runtime_parts.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/model/history.hpp"
#include "troupe/runtime/run/run_details.hpp"

#include "caf/event_based_actor.hpp"
#include "caf/scoped_actor.hpp"

#include <utility>

namespace troupe {

namespace {

/// Asks from a thread that may block.
template <class R, class Handle, class Message>
caf::expected<R>
ask_blocking(caf::actor_system& system, const Handle& who, Message message) {
  caf::scoped_actor self{system};
  auto result = caf::expected<R>{caf::error{}};
  self->request(who, caf::infinite, std::move(message))
    .receive([&](R& x) { result = std::move(x); },
             [&](caf::error& why) { result = std::move(why); });
  return result;
}

template <class T>
T or_throw(caf::expected<T> x) {
  if (!x)
    throw co::failure{std::move(x.error())};
  return std::move(*x);
}

using done_function = std::function<void(caf::expected<run_object>)>;

/// Gives `done` the run's end.
void await_end(caf::event_based_actor* self, const run_handle& started,
               const done_function& done) {
  auto succeed = [done](run_object& object) { done(std::move(object)); };
  auto fail = [done](caf::error& why) { done(std::move(why)); };
  self->request(started.run, caf::infinite, await_run{}).then(succeed, fail);
}

} // namespace

runtime::runtime(runtime_options options)
  : parts_(std::make_unique<parts>(std::move(options))) {
  // nop
}

runtime::runtime(caf::actor_system& system, runtime_options options)
  : parts_(std::make_unique<parts>(system, std::move(options))) {
  // nop
}

runtime::~runtime() = default;

execution runtime::start(run_request request,
                         std::shared_ptr<run_resources> resources) {
  auto order = start_run{std::move(request),
                         run_resources_ptr{std::move(resources)},
                         {}};
  auto handle
    = or_throw(ask_blocking<run_handle>(system(), runs(), std::move(order)));
  return execution{system(), std::move(handle)};
}

execution runtime::start(const assembly& what, run_request request,
                         std::shared_ptr<run_resources> resources) {
  request.agent = what.settings().name;
  auto order = start_run{std::move(request),
                         run_resources_ptr{std::move(resources)},
                         parts_->make_definition(what)};
  auto handle
    = or_throw(ask_blocking<run_handle>(system(), runs(), std::move(order)));
  return execution{system(), std::move(handle)};
}

execution runtime::stream(run_request request) {
  request.with_events = true;
  return start(std::move(request));
}

run_object runtime::ask(const assembly& what, run_request request) {
  return start(what, std::move(request)).wait();
}

run_object runtime::ask(run_request request) {
  return start(std::move(request)).wait();
}

run_object runtime::ask(const std::string& agent, const std::string& prompt) {
  auto request = run_request{};
  request.agent = agent;
  request.input = prompt;
  return ask(std::move(request));
}

void runtime::start_async(run_request request,
                          std::function<void(caf::expected<run_object>)> done) {
  auto body = [runs = runs(), request = std::move(request),
               done = std::move(done)](caf::event_based_actor* self) {
    auto fail = [done](caf::error& why) { done(std::move(why)); };
    auto wait = [self, done](run_handle& x) { await_end(self, x, done); };
    self->request(runs, caf::infinite, start_run{request, {}, {}})
      .then(wait, fail);
  };
  system().spawn(std::move(body));
}

run_object runtime::run_later(queue_run order) {
  return or_throw(ask_blocking<run_object>(system(), runs(), std::move(order)));
}

execution runtime::resume(resume_run order) {
  order.later = false;
  auto handle
    = or_throw(ask_blocking<run_handle>(system(), runs(), std::move(order)));
  return execution{system(), std::move(handle)};
}

execution runtime::resume(resume_run order, const assembly& what) {
  order.definition = parts_->make_definition(what);
  return resume(std::move(order));
}

void runtime::resume_later(resume_run order) {
  order.later = true;
  or_throw(ask_blocking<run_handle>(system(), runs(), std::move(order)));
}

run_object runtime::cancel_run(const std::string& run_id, std::string reason) {
  auto order = cancel_stored_run{run_id, std::move(reason)};
  return or_throw(ask_blocking<run_object>(system(), runs(), std::move(order)));
}

caf::expected<std::vector<run_object>>
runtime::list_runs(troupe::list_runs query,
                   const std::function<bool(const run_object&)>& matches) {
  auto found = ask_blocking<run_list>(system(), parts_->store(),
                                      std::move(query));
  if (!found)
    return std::move(found.error());
  auto result = std::vector<run_object>{};
  for (const auto& head : found->runs) {
    auto details = decode_details(head);
    if (!details)
      return std::move(details.error());
    if (!matches || matches(details->object))
      result.push_back(std::move(details->object));
  }
  return result;
}

caf::expected<std::optional<run_object>>
runtime::find_run(const std::string& run_id) {
  auto found = ask_blocking<run_list>(system(), parts_->store(),
                                      troupe::find_run{run_id});
  if (!found)
    return std::move(found.error());
  if (found->runs.empty())
    return std::optional<run_object>{};
  auto details = decode_details(found->runs.front());
  if (!details)
    return std::move(details.error());
  return std::optional<run_object>{std::move(details->object)};
}

caf::expected<std::vector<run_event>>
runtime::run_events(const std::string& run_id, uint64_t after, uint64_t max) {
  auto found = ask_blocking<run_event_batch>(
    system(), parts_->store(), load_run_events{run_id, after, max});
  if (!found)
    return std::move(found.error());
  return std::move(found->events);
}

caf::expected<std::vector<artifact_record>>
runtime::artifacts(const std::string& run_id) {
  auto found = ask_blocking<artifact_list>(system(), parts_->store(),
                                           load_run_artifacts{run_id, {}});
  if (!found)
    return std::move(found.error());
  return std::move(found->artifacts);
}

caf::expected<std::optional<artifact_record>>
runtime::artifact(const std::string& run_id, const std::string& name) {
  if (name.empty())
    return std::optional<artifact_record>{};
  auto found = ask_blocking<artifact_list>(system(), parts_->store(),
                                           load_run_artifacts{run_id, name});
  if (!found)
    return std::move(found.error());
  if (found->artifacts.empty())
    return std::optional<artifact_record>{};
  return std::optional{std::move(found->artifacts.front())};
}

caf::expected<std::vector<std::string>> runtime::reconcile_runs() {
  auto marked = ask_blocking<run_id_list>(system(), parts_->store(),
                                          troupe::reconcile_runs{});
  if (!marked)
    return std::move(marked.error());
  return std::move(marked->run_ids);
}

work runtime::start_work(worker_options options) {
  return {system(), parts_->start_worker(std::move(options))};
}

uint64_t runtime::subscribe(run_subscriber who) {
  return parts_->services()->feed->subscribe(std::move(who));
}

void runtime::unsubscribe(uint64_t id) {
  parts_->services()->feed->unsubscribe(id);
}

caf::error runtime::fork_session(const session_key& from, const session_key& to,
                                 uint64_t records) {
  auto forked = ask_blocking<done>(system(), parts_->store(),
                                   troupe::fork_session{from, to, records});
  return forked ? caf::error{} : std::move(forked.error());
}

caf::expected<std::vector<session_summary>>
runtime::sessions(const std::string& session_id) {
  auto list = ask_blocking<session_list>(system(), parts_->store(),
                                         list_sessions{session_id});
  if (!list)
    return std::move(list.error());
  return std::move(list->sessions);
}

caf::expected<std::vector<chat_message_ptr>>
runtime::messages(session_key key) {
  auto stored = ask_blocking<stored_session>(system(), parts_->store(),
                                             load_session{std::move(key)});
  if (!stored)
    return std::move(stored.error());
  return repair_history(std::move(stored->messages)).messages;
}

caf::expected<uint64_t> runtime::erase_session(session_key key) {
  auto erased = ask_blocking<erased_sessions>(
    system(), parts_->store(), troupe::erase_session{std::move(key)});
  if (!erased)
    return std::move(erased.error());
  return erased->count;
}

const run_registry_actor& runtime::runs() const noexcept {
  return parts_->runs();
}

const supervisor_actor& runtime::root() const noexcept {
  return parts_->root();
}

caf::actor_system& runtime::system() const noexcept {
  return parts_->system();
}

} // namespace troupe
