#include "support/catch.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/supervise/restart_strategy.hpp"
#include "troupe/runtime/supervise/restart_window.hpp"

#include "caf/exit_reason.hpp"

#include <chrono>
#include <vector>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

using positions = std::vector<std::size_t>;

constexpr auto permanent = restart_kind::permanent;
constexpr auto transient = restart_kind::transient;
constexpr auto temporary = restart_kind::temporary;

const auto start_of_time = restart_window::time_point{};

} // namespace

TEST_CASE("a window admits as many restarts as its limit", "[supervise]") {
  auto sut = restart_window{2, 5s};
  CHECK(sut.admit(start_of_time));
  CHECK(sut.admit(start_of_time + 1s));
  CHECK_FALSE(sut.admit(start_of_time + 2s));
}

TEST_CASE("a restart leaves the window after its period", "[supervise]") {
  auto sut = restart_window{1, 5s};
  CHECK(sut.admit(start_of_time));
  CHECK_FALSE(sut.admit(start_of_time + 5s));
  auto other = restart_window{1, 5s};
  CHECK(other.admit(start_of_time));
  CHECK(other.admit(start_of_time + 5s + 1ns));
}

TEST_CASE("a window without a limit admits no restart", "[supervise]") {
  auto sut = restart_window{0, 5s};
  CHECK_FALSE(sut.admit(start_of_time));
  CHECK_FALSE(sut.admit(start_of_time + 60s));
}

TEST_CASE("a restart kind looks at why a child ended", "[supervise]") {
  auto crashed = make_error(errc::internal, "crashed");
  auto normal = caf::make_error(caf::exit_reason::normal);
  auto asked = caf::make_error(caf::exit_reason::user_shutdown);
  auto killed = caf::make_error(caf::exit_reason::kill);
  for (auto& reason : {crashed, normal, asked, killed, caf::error{}}) {
    CHECK(wants_restart(permanent, reason));
    CHECK_FALSE(wants_restart(temporary, reason));
  }
  CHECK(wants_restart(transient, crashed));
  CHECK(wants_restart(transient, killed));
  CHECK_FALSE(wants_restart(transient, normal));
  CHECK_FALSE(wants_restart(transient, asked));
  CHECK_FALSE(wants_restart(transient, caf::error{}));
}

TEST_CASE("one_for_one touches nobody else", "[supervise]") {
  auto plan = plan_restart(restart_strategy::one_for_one, 1,
                           {permanent, permanent, permanent});
  CHECK(plan.stop.empty());
  CHECK(plan.start == positions{1});
}

TEST_CASE("one_for_all takes all down in reverse", "[supervise]") {
  auto plan = plan_restart(restart_strategy::one_for_all, 1,
                           {permanent, transient, temporary, permanent});
  CHECK(plan.stop == positions{3, 2, 0});
  CHECK(plan.start == positions{0, 1, 3});
}

TEST_CASE("rest_for_one takes down what came later", "[supervise]") {
  auto plan = plan_restart(restart_strategy::rest_for_one, 1,
                           {permanent, permanent, temporary, transient});
  CHECK(plan.stop == positions{3, 2});
  CHECK(plan.start == positions{1, 3});
}
