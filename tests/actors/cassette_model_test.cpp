#include "troupe/actors/model/cassette_model.hpp"

#include "support/asker.hpp"
#include "support/catch.hpp"
#include "support/model_answers.hpp"
#include "support/stage.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using test::ask_model;
using test::text_of;

namespace {

using batch_answer = test::answer<model_batch>;

struct fixture {
  explicit fixture(const std::string& exchanges) {
    auto tape = parse_cassette("cassette: 1\nexchanges:\n" + exchanges, "t");
    REQUIRE(tape);
    auto spec
      = cassette_model_spec{std::make_shared<const cassette>(std::move(*tape)),
                            retry_settings{3, 100ms, 10s}};
    model = stage.spawn(cassette_model_behavior, std::move(spec));
  }

  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;

  ~fixture() {
    caf::anon_send_exit(model, caf::exit_reason::kill);
    reader.die();
  }

  batch_answer ask() {
    return reader.ask<model_batch>(model, ask_model("hi"));
  }

  batch_answer pull(const batch_answer& batch) {
    return reader.ask<model_batch>((**batch)->rest, pull_model_events{});
  }

  size_t streams() const {
    auto* actor = caf::actor_cast<caf::abstract_actor*>(model);
    using pointer
      = model_connection_actor::stateful_pointer<cassette_model_state>;
    return dynamic_cast<pointer>(actor)->state.streams.size();
  }

  test::stage stage;
  model_connection_actor model;
  test::asker reader{stage};
};

bool has_batch(const batch_answer& answer) {
  return answer->has_value() && (*answer)->engaged();
}

fault fault_in(const batch_answer& answer) {
  REQUIRE(answer->has_value());
  REQUIRE_FALSE((*answer)->engaged());
  return to_fault((*answer)->error());
}

} // namespace

TEST_CASE("a turn that takes no time is one batch without a stream",
          "[model][cassette]") {
  auto x = fixture{"  - reply: {text: abcdef, chunk: 2}\n"};
  auto answer = x.ask();
  REQUIRE(has_batch(answer));
  CHECK((**answer)->events.size() == 4);
  CHECK(text_of((**answer)->events) == "abcdef");
  CHECK(test::is_whole((**answer)->events));
  CHECK_FALSE((**answer)->rest);
  CHECK(x.streams() == 0);
}

TEST_CASE("a cassette's delays are those of the actor's clock",
          "[model][cassette]") {
  auto x = fixture{"  - reply: {text: abcdef, chunk: 2, delay: 1s, "
                   "chunk_delay: 100ms}\n"};
  auto first = x.ask();
  x.stage.advance(999ms);
  CHECK_FALSE(first->has_value());
  x.stage.advance(1ms);
  REQUIRE(has_batch(first));
  CHECK(text_of((**first)->events) == "ab");
  SECTION("piece after piece for who waits") {
    auto second = x.pull(first);
    x.stage.advance(99ms);
    CHECK_FALSE(second->has_value());
    x.stage.advance(1ms);
    REQUIRE(has_batch(second));
    CHECK(text_of((**second)->events) == "cd");
    auto third = x.pull(second);
    x.stage.advance(100ms);
    REQUIRE(has_batch(third));
    CHECK(text_of((**third)->events) == "ef");
    CHECK(test::is_whole((**third)->events));
    CHECK_FALSE((**third)->rest);
  }
  SECTION("all that is due for who comes late") {
    x.stage.advance(1s);
    auto rest = x.pull(first);
    REQUIRE(has_batch(rest));
    CHECK(text_of((**rest)->events) == "cdef");
    CHECK_FALSE((**rest)->rest);
  }
  SECTION("and nothing for who cancels") {
    auto second = x.pull(first);
    x.reader.cancel((**first)->rest);
    CHECK(fault_in(second).kind == errc::cancelled);
  }
  CHECK(x.streams() == 0);
}

TEST_CASE("a cassette's error is retried like a provider's",
          "[model][cassette]") {
  auto x = fixture{"  - error: {kind: rate_limit, status: 429, "
                   "retry_after: 1s}\n"
                   "  - error: {kind: disconnect}\n"
                   "  - reply: {text: good}\n"};
  auto answer = x.ask();
  REQUIRE(has_batch(answer));
  const auto& retry = (**answer)->events.at(0);
  CHECK(retry.kind == model_event_kind::retry);
  CHECK(static_cast<errc>(retry.error_kind) == errc::rate_limit);
  CHECK(retry.delay >= 1s);
  auto second = x.pull(answer);
  x.stage.advance(999ms);
  CHECK_FALSE(second->has_value());
  x.stage.advance(101ms);
  REQUIRE(has_batch(second));
  CHECK((**second)->events.at(0).attempt == 3);
  auto last = x.pull(second);
  x.stage.advance(200ms);
  REQUIRE(has_batch(last));
  CHECK(text_of((**last)->events) == "good");
  CHECK(x.streams() == 0);
}

TEST_CASE("a cassette has errors enough to end the attempts",
          "[model][cassette]") {
  auto x = fixture{"  - error: {kind: overloaded}\n"
                   "  - error: {kind: overloaded}\n"
                   "  - error: {kind: overloaded, message: third}\n"
                   "  - reply: {text: good}\n"};
  auto answer = x.ask();
  for (auto i = 0; i < 2; ++i) {
    REQUIRE(has_batch(answer));
    answer = x.pull(answer);
    x.stage.advance(1s);
  }
  CHECK(fault_in(answer).message == "third");
  CHECK(text_of((**x.ask())->events) == "good");
}

TEST_CASE("a cassette's stream that breaks is an error after its pieces",
          "[model][cassette]") {
  auto x = fixture{"  - error: {kind: disconnect, after_chunks: 2}\n"
                   "  - reply: {text: abcdef, chunk: 2}\n"};
  auto answer = x.ask();
  REQUIRE(has_batch(answer));
  CHECK(text_of((**answer)->events) == "abcd");
  CHECK(fault_in(x.pull(answer)).kind == errc::network);
}

TEST_CASE("a cassette error that no retry mends is answered at once",
          "[model][cassette]") {
  auto x = fixture{"  - error: {kind: auth, status: 401}\n"};
  auto what = fault_in(x.ask());
  CHECK(what.kind == errc::auth);
  CHECK(what.status == 401);
  CHECK(fault_in(x.ask()).kind == errc::cassette); // past the end
  CHECK(x.streams() == 0);
}

TEST_CASE("a cassette that is cancelled while it waits ends its stream",
          "[model][cassette]") {
  auto x = fixture{"  - reply: {text: a, delay: 1h}\n"};
  auto answer = x.ask();
  CHECK(x.streams() == 1);
  SECTION("by its reader") {
    x.reader.cancel(x.model);
    CHECK(fault_in(answer).kind == errc::cancelled);
  }
  SECTION("by its reader's death") {
    x.reader.die();
  }
  CHECK(x.streams() == 0);
}

TEST_CASE("end_work at a cassette ends its streams", "[model][cassette]") {
  auto x = fixture{"  - reply: {text: a, delay: 1h}\n"};
  auto answer = x.ask();
  auto ended = x.reader.ask<done>(x.model, end_work{});
  REQUIRE(ended->has_value());
  CHECK((*ended)->engaged());
  CHECK(fault_in(answer).kind == errc::cancelled);
}
