#include "support/run_load.hpp"

#include "troupe/config/errc.hpp"

#include "caf/actor_system.hpp"
#include "caf/event_based_actor.hpp"
#include "caf/stateful_actor.hpp"

#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>

namespace troupe::bench {

namespace {

struct driver_state {
  run_registry_actor runs;
  run_load load;
  size_t open = 0;
  std::promise<void>* done = nullptr;
};

using driver_ptr = caf::stateful_actor<driver_state>*;

void fail(driver_ptr self, const std::string& why) {
  auto failure = std::runtime_error{"a run has failed: " + why};
  self->state.done->set_exception(std::make_exception_ptr(failure));
  self->quit();
}

auto fail_with(driver_ptr self) {
  return [self](const caf::error& why) { fail(self, render(to_fault(why))); };
}

void start_one(driver_ptr self);

void note_end(driver_ptr self) {
  auto& state = self->state;
  --state.open;
  if (state.load.count > 0)
    start_one(self);
  else if (state.open == 0)
    state.done->set_value();
}

void read_events(driver_ptr self, const run_actor& run) {
  auto take = [self, run](const run_event_batch& batch) {
    for (const auto& event : batch.events)
      if (is_terminal(event.type) && event.type != event_type::run_stop)
        return fail(self, render(*event.why));
    if (batch.done)
      note_end(self);
    else
      read_events(self, run);
  };
  self->request(run, caf::infinite, pull_run_events{})
    .then(std::move(take), fail_with(self));
}

void await_end(driver_ptr self, const run_actor& run) {
  auto take = [self](const run_object& object) {
    if (object.status != run_status::completed)
      fail(self, render(object.error));
    else
      note_end(self);
  };
  self->request(run, caf::infinite, await_run{})
    .then(std::move(take), fail_with(self));
}

void start_one(driver_ptr self) {
  auto& state = self->state;
  --state.load.count;
  ++state.open;
  auto follow = [self](const run_handle& x) {
    if (self->state.load.request.with_events)
      read_events(self, x.run);
    else
      await_end(self, x.run);
  };
  self
    ->request(state.runs, caf::infinite, start_run{state.load.request, {}, {}})
    .then(std::move(follow), fail_with(self));
}

caf::behavior driver(driver_ptr self, run_registry_actor runs, run_load load,
                     std::promise<void>* done) {
  self->state = {std::move(runs), std::move(load), 0, done};
  auto width = self->state.load.width;
  for (size_t i = 0; i < width && self->state.load.count > 0; ++i)
    start_one(self);
  return {[](caf::unit_t) {
    // The answers to its requests are all that it waits for.
  }};
}

} // namespace

void drive(caf::actor_system& system, const run_registry_actor& runs,
           run_load load) {
  auto done = std::promise<void>{};
  system.spawn(driver, runs, std::move(load), &done);
  done.get_future().get();
}

} // namespace troupe::bench
