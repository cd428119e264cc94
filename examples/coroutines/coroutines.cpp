// Coroutines in actors, the code of docs/coroutines.md.
#include "troupe/config/errc.hpp"
#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/co/when_all.hpp"
#include "troupe/runtime/co/when_any.hpp"
#include "troupe/runtime/messages/register.hpp"

#include "caf/all.hpp"

#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using namespace std::chrono_literals;
namespace co = troupe::co;

namespace {

using greeter_actor
  = co::cancellable_actor<caf::replies_to<std::string>::with<std::string>>;

struct greeter_state {
  co::scope running;
};

using greeter_ptr = greeter_actor::stateful_pointer<greeter_state>;

co::task<std::string> greet(greeter_ptr self, std::string name) {
  if (name.empty())
    throw co::failure{troupe::errc::tool, "there is nobody to greet"};
  co_await co::sleep_for(self, 10ms);
  co_return "Hello " + name;
}

greeter_actor::behavior_type greeter(greeter_ptr self) {
  return {co::serve(self, greet), co::serve_cancel(self)};
}

using party_actor
  = co::cancellable_actor<caf::replies_to<int>::with<std::string>>;

struct party_state {
  // Not an aggregate: CAF 0.17 gives those the actor as their first member
  // where a handle can be made of it.
  party_state() = default;

  greeter_actor host;
  co::blocking_pool* pool = nullptr;
  co::scope running; // last: its coroutines refer to the members above
};

using party_ptr = party_actor::stateful_pointer<party_state>;

co::task<std::string> welcome(party_ptr self, std::string name) {
  auto text = co_await co::request<std::string>(self, self->state.host, 1s,
                                                std::move(name));
  co_return text + "!";
}

co::task<std::string> welcome_all(party_ptr self, int guests) {
  auto work = std::vector<co::task<std::string>>{};
  for (int i = 1; i <= guests; ++i)
    work.push_back(welcome(self, "guest " + std::to_string(i)));
  auto lines = co_await co::when_all(std::move(work));
  auto result = std::string{};
  for (auto& line : lines)
    result += line + ' ';
  co_return result;
}

co::task<std::string> welcome_nobody(party_ptr self) {
  auto nobody = std::string{};
  auto asked = co::request<std::string>(self, self->state.host, 1s, nobody);
  auto answer = co_await co::as_expected(std::move(asked));
  if (!answer)
    co_return troupe::to_fault(answer.error()).message;
  co_return std::move(*answer);
}

co::task<std::string> wait_for_the_late(party_ptr self) {
  co_await co::sleep_for(self, 1h);
  co_return "all are here";
}

co::task<std::string> wait_in_vain(party_ptr self) {
  auto late = wait_for_the_late(self);
  auto limited = co::with_timeout(self, 20ms, std::move(late));
  auto failed = std::string{};
  try {
    co_await limited;
  } catch (const co::failure& why) {
    failed = why.what();
  }
  co_return failed;
}

co::task<std::string> count_slowly(party_ptr self) {
  auto count = std::function<std::string()>{[] {
    return std::string{"counted on a thread of the pool"}; // may block
  }};
  co_return co_await co::offload(self, *self->state.pool, std::move(count));
}

co::task<std::string> celebrate(party_ptr self, int guests) {
  auto report = co_await welcome_all(self, guests);
  auto nobody = co_await welcome_nobody(self);
  auto late = co_await wait_in_vain(self);
  auto counted = co_await count_slowly(self);
  co_return report + '\n' + nobody + '\n' + late + '\n' + counted;
}

party_actor::behavior_type party(party_ptr self, greeter_actor host,
                                 co::blocking_pool* pool) {
  self->state.host = std::move(host);
  self->state.pool = pool;
  return {co::serve(self, celebrate), co::serve_cancel(self)};
}

} // namespace

int main() {
  caf::actor_system_config config;
  troupe::register_messages(config);
  co::blocking_pool pool{1};
  caf::actor_system system{config};
  caf::scoped_actor me{system};
  auto sut = me->spawn(party, me->spawn(greeter), &pool);
  me->request(sut, caf::infinite, 3)
    .receive([](const std::string& text) { std::cout << text << '\n'; },
             [](const caf::error& why) {
               std::cout << render(troupe::to_fault(why)) << '\n';
             });
}
