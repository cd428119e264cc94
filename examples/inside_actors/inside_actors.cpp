// Agents asked from a coroutine of the application's own actor: no thread
// waits, and cancelling the coroutine cancels the run.
#include <caf/scoped_actor.hpp>

#include <troupe/actors/troupe.hpp>
#include <troupe/runtime/co/serve.hpp>

#include <iostream>

using namespace troupe;

using desk_actor
  = co::cancellable_actor<caf::replies_to<std::string>::with<std::string>>;

struct desk_state {
  // A constructor, for CAF 0.17 passes the actor to an aggregate's first
  // member where that is a handle.
  desk_state() = default;

  run_registry_actor runs;
  co::scope running;
};

using desk_ptr = desk_actor::stateful_pointer<desk_state>;

co::task<std::string> ask_twice(desk_ptr self, std::string question) {
  auto answer = std::string{};
  for (auto i = 0; i < 2; ++i) {
    auto order = start_run{};
    order.request.agent = "echo";
    order.request.input = question;
    auto started = co_await co::request<run_handle>(self, self->state.runs,
                                                    caf::infinite,
                                                    std::move(order));
    auto waited = co::request<run_object>(self, started.run, caf::infinite,
                                          await_run{});
    auto ended = co_await waited;
    answer += ended.response;
  }
  co_return answer;
}

desk_actor::behavior_type desk(desk_ptr self, run_registry_actor runs) {
  self->state.runs = std::move(runs);
  return {co::serve(self, ask_twice), co::serve_cancel(self)};
}

int main(int, char** argv) {
  auto options = runtime_options{};
  options.settings.storage.in_memory = true;
  auto echo = agent{"echo"};
  echo.model("cassette:" + std::string{argv[1]});
  options.agents = {echo};
  runtime host{options};
  auto worker = host.system().spawn(desk, host.runs());
  caf::scoped_actor self{host.system()};
  self->request(worker, caf::infinite, std::string{"hello"})
    .receive([](const std::string& x) { std::cout << x << "\n"; },
             [](const caf::error& x) {
               std::cout << render(to_fault(x)) << "\n";
             });
}
