#include "troupe/actors/sandbox/process.hpp"

#include "troupe/actors/sandbox/callback_awaiter.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/settle.hpp"

#include <csignal>
#include <utility>

namespace troupe {

namespace {

using process_ptr = process_actor::stateful_pointer<process_actor_state>;
using ended_callback = callback_awaiter<process_result>;

/// Runs the command to its end; the actor's first coroutine.
co::task<void> run(process_ptr self, process_spec command) {
  auto& state = self->state;
  auto start = [&state, command = std::move(command)](
                 ended_callback::callback done) mutable {
    state.id = state.runner->start(std::move(command), std::move(done));
    state.io->started();
  };
  auto end = ended_callback{self, std::move(start)};
  try {
    auto result = co_await end;
    state.result = std::move(result);
  } catch (const co::failure& why) { // told to whoever waits
    state.failed = why.reason();
  }
  state.ended.set();
}

/// As the sandbox layer tells it: an error, or nothing.
process_io::write_done done_or_error(callback_awaiter<done>::callback then) {
  return [then = std::move(then)](const caf::error& why) {
    then(why ? caf::expected<done>{why} : caf::expected<done>{done{}});
  };
}

co::task<done> write(process_ptr self, write_process x) {
  auto io = self->state.io;
  if (!x.text.empty()) {
    auto start = [io, &x](callback_awaiter<done>::callback written) {
      io->write(std::move(x.text), done_or_error(std::move(written)));
    };
    auto all = callback_awaiter<done>{self, std::move(start)};
    co_await all;
  }
  if (x.close)
    io->close_input();
  co_return done{};
}

co::task<process_output> read(process_ptr self, read_process x) {
  auto from = x.errors ? process_stream::errors : process_stream::output;
  auto start = [io = self->state.io, from,
                x](callback_awaiter<process_chunk>::callback then) {
    io->read(from, x.most, x.timeout, std::move(then));
  };
  auto some = callback_awaiter<process_chunk>{self, std::move(start)};
  auto chunk = co_await some;
  co_return process_output{std::move(chunk.text), chunk.end};
}

process_state state_of(const process_actor_state& state) {
  if (state.failed)
    throw co::failure{state.failed};
  auto result = process_state{};
  result.running = !state.ended.is_set();
  result.result = state.result;
  return result;
}

co::task<process_state> wait(process_ptr self, wait_process x) {
  auto& state = self->state;
  if (x.timeout > caf::timespan{0})
    co_await state.ended.wait_for(self, x.timeout);
  co_return state_of(state);
}

co::task<done> send_signal(process_ptr self, signal_process x) {
  if (x.number < 1 || x.number > SIGRTMAX)
    throw co::failure{errc::tool,
                      "there is no signal " + std::to_string(x.number)};
  self->state.runner->signal(self->state.id, x.number);
  co_return done{};
}

co::task<process_state> terminate(process_ptr self, terminate_process) {
  auto& state = self->state;
  state.runner->terminate(state.id);
  co_await state.ended.wait(self);
  co_return state_of(state);
}

co::task<done> resize(process_ptr self, resize_process x) {
  self->state.io->resize({x.rows, x.columns});
  co_return done{};
}

/// Ends the command, waits until its tree is gone, then closes its streams.
co::task<done> close(process_ptr self, end_work) {
  auto& state = self->state;
  state.runner->terminate(state.id);
  co_await state.ended.wait(self);
  state.io->close();
  self->quit();
  co_return done{};
}

} // namespace

process_actor_state::~process_actor_state() {
  if (io)
    io->close();
  if (runner && !ended.is_set())
    runner->terminate(id);
}

process_actor::behavior_type process_behavior(process_ptr self,
                                              process_actor_spec spec) {
  auto& state = self->state;
  state.runner = std::move(spec.runner);
  state.io = std::move(spec.io);
  state.running.spawn(self, {}, run(self, std::move(spec.command)));
  if (spec.owner) {
    self->monitor(caf::actor_cast<caf::actor_addr>(spec.owner));
    self->set_down_handler([self](const caf::down_msg&) {
      // Whoever asked for it is gone: nobody will close it.
      caf::anon_send(caf::actor_cast<process_actor>(self), end_work{});
    });
  }
  return {
    co::serve(self, write),     co::serve(self, read),
    co::serve(self, wait),      co::serve(self, send_signal),
    co::serve(self, terminate), co::serve(self, resize),
    co::serve(self, close),     co::serve_cancel(self),
  };
}

} // namespace troupe
