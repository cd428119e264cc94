#include "support/catch.hpp"
#include "support/counted.hpp"
#include "support/stage.hpp"

#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/co/task.hpp"

#include "caf/all.hpp"

#include <chrono>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

struct host_state {
  co::scope running;
};

using host_ptr = caf::stateful_actor<host_state>*;

constexpr auto many = 1'000'000;

co::task<int> one() {
  co_return 1;
}

co::task<void> count(host_ptr self, int* sum) {
  auto witness = test::counted{};
  for (int i = 0; i < many; ++i)
    *sum += co_await one();
  co_await co::sleep_for(self, 1s);
  for (int i = 0; i < many; ++i)
    *sum += co_await one();
}

caf::behavior host(host_ptr self, int* sum) {
  self->state.running.spawn(self, {1, 1}, count(self, sum));
  return {[](int) {
    // nop
  }};
}

} // namespace

TEST_CASE("a loop over tasks that do not wait needs no stack", "[co]") {
  test::stage stage;
  auto sum = 0;
  auto sut = stage.spawn(host, &sum);
  stage.run();
  CHECK(sum == many);
  stage.advance(1s);
  CHECK(sum == 2 * many);
  CHECK(test::counted::live() == 0);
}
