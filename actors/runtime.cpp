#include "troupe/actors/runtime.hpp"

#include "troupe/actors/agent_catalog.hpp"
#include "troupe/actors/runtime_parts.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/model/history.hpp"

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
                         run_resources_ptr{std::move(resources)}};
  auto handle = ask_blocking<run_handle>(system(), runs(), std::move(order));
  if (!handle)
    throw co::failure{std::move(handle.error())};
  return execution{system(), std::move(*handle)};
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
    auto wait = [self, done, fail](run_handle& x) {
      self->request(x.run, caf::infinite, await_run{})
        .then([done](run_object& object) { done(std::move(object)); }, fail);
    };
    self->request(runs, caf::infinite, start_run{request, {}}).then(wait, fail);
  };
  system().spawn(std::move(body));
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
