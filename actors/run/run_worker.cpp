#include "troupe/actors/run/run_worker.hpp"

#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/run/run_lease_time.hpp"

#include <chrono>
#include <utility>

namespace troupe {

namespace {

/// How soon a run that another process queued is seen.
constexpr auto glance = std::chrono::milliseconds{200};

constexpr auto work_key = co::frame_key{0, 1};
constexpr auto run_key_ = co::frame_key{0, 2};

const store_actor& store_of(run_worker_ptr self) {
  return self->state.spec.services->store;
}

void note(run_worker_ptr self, const std::string& what, const caf::error& why) {
  self->state.spec.services->log(log_level::warn,
                                 what + ": " + to_fault(why).message);
}

/// One run from where it is to its end.
co::task<void> follow(run_worker_ptr self, resume_run order) {
  auto& state = self->state;
  auto run_id = order.run_id;
  auto asked = co::request<run_handle>(self, state.spec.registry, caf::infinite,
                                       std::move(order));
  auto handle = co_await co::as_expected(std::move(asked));
  if (handle) {
    auto awaited = co::request<run_object>(self, handle->run, caf::infinite,
                                           await_run{});
    auto object = co_await co::as_expected(std::move(awaited));
    if (!object)
      note(self, "run " + run_id, object.error());
    else if (state.spec.options.on_end)
      state.spec.options.on_end(*object);
  } else {
    note(self, "run " + run_id, handle.error());
  }
  --state.active;
  state.has_room.set();
}

void start(run_worker_ptr self, resume_run order) {
  ++self->state.active;
  self->state.running.spawn(self, run_key_, follow(self, std::move(order)));
}

/// Waits until one more may run.
co::task<void> await_room(run_worker_ptr self) {
  auto& state = self->state;
  auto most = state.spec.services->settings.concurrency.max_in_flight;
  while (state.active >= most) {
    state.has_room.reset();
    co_await state.has_room.wait(self);
  }
}

/// Takes up what lost its process.
co::task<void> take_interrupted(run_worker_ptr self) {
  auto& state = self->state;
  auto clean_up = co::request<run_id_list>(self, store_of(self), caf::infinite,
                                           reconcile_runs{});
  co_await clean_up;
  auto query = list_runs{};
  query.by_status = true;
  query.status = run_status::interrupted;
  if (state.spec.options.queue) {
    query.by_queue = true;
    query.queue = *state.spec.options.queue;
  }
  auto asked = co::request<run_list>(self, store_of(self), caf::infinite,
                                     std::move(query));
  auto found = co_await asked;
  for (size_t i = 0; i < found.runs.size() && !state.is_closing; ++i) {
    co_await await_room(self);
    auto order = resume_run{};
    order.run_id = found.runs[i].run_id;
    start(self, std::move(order));
  }
}

/// Takes what is due; several workers share it out.
co::task<void> take_due(run_worker_ptr self) {
  auto& state = self->state;
  while (!state.is_closing) {
    co_await await_room(self);
    auto order = acquire_run{};
    order.by_queue = state.spec.options.queue.has_value();
    order.queue = state.spec.options.queue.value_or(std::string{});
    order.owner = state.spec.services->owner;
    order.lease = lease_time;
    auto asked = co::request<run_list>(self, store_of(self), caf::infinite,
                                       std::move(order));
    auto taken = co_await asked;
    if (taken.runs.empty())
      co_return;
    auto next = resume_run{};
    next.run_id = taken.runs.front().run_id;
    next.epoch = taken.runs.front().lease.epoch;
    start(self, std::move(next));
  }
}

co::task<void> work(run_worker_ptr self) {
  auto& state = self->state;
  while (!state.is_closing) {
    auto failed = caf::error{};
    try {
      co_await take_interrupted(self);
      co_await take_due(self);
    } catch (const co::failure& why) {
      failed = why.reason();
    }
    if (failed)
      note(self, "the store cannot be read", failed);
    if (state.spec.options.once)
      break;
    co_await co::sleep_for(self, glance);
  }
  while (state.active > 0) {
    state.has_room.reset();
    co_await state.has_room.wait(self);
  }
  state.is_done.set();
}

co::task<done> await_end(run_worker_ptr self, await_run) {
  co_await self->state.is_done.wait(self);
  co_return done{};
}

/// Takes no more, and ends when what it took has.
co::task<done> close(run_worker_ptr self, end_work) {
  self->state.is_closing = true;
  co_await self->state.is_done.wait(self);
  self->quit();
  co_return done{};
}

} // namespace

run_worker_actor::behavior_type run_worker_behavior(run_worker_ptr self,
                                                    run_worker_spec spec) {
  self->state.spec = std::move(spec);
  self->state.running.spawn(self, work_key, work(self));
  return {
    co::serve(self, await_end),
    co::serve(self, close),
    co::serve_cancel(self),
  };
}

} // namespace troupe
