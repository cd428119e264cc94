#include "troupe/actors/model/recording_model.hpp"

#include "support/catch.hpp"
#include "support/live_system.hpp"
#include "support/model_answers.hpp"
#include "support/temp_dir.hpp"

#include "troupe/actors/model/cassette_model.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using test::ask_model;
using test::text_of;

namespace {

struct fixture {
  explicit fixture(const std::string& exchanges, std::string file = "out.yaml")
    : tape(std::make_shared<recording>((dir.path() / file).string(),
                                       std::vector<secret>{})) {
    auto played = parse_cassette("cassette: 1\nexchanges:\n" + exchanges, "t");
    REQUIRE(played);
    inner = live.system().spawn(
      cassette_model_behavior,
      cassette_model_spec{std::make_shared<const cassette>(std::move(*played)),
                          retry_settings{3, 1ms, 2ms}});
    model = live.system().spawn(recording_model_behavior,
                                recording_model_spec{inner, tape, &pool});
  }

  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;

  ~fixture() {
    CHECK(live.ask<done>(model, end_work{}));
    if (inner)
      CHECK(live.ask<done>(inner, end_work{}));
  }

  std::vector<cassette_exchange> recorded() const {
    auto result = load_cassette((dir.path() / "out.yaml").string());
    REQUIRE(result);
    return std::move(result->exchanges);
  }

  test::temp_dir dir;
  co::blocking_pool pool{1};
  test::live_system live;
  std::shared_ptr<recording> tape;
  model_connection_actor inner;
  model_connection_actor model;
};

} // namespace

TEST_CASE("a recorded answer is in the file before it is told",
          "[model][cassette]") {
  auto x = fixture{"  - reply: {text: hello, usage: {input_tokens: 7}}\n"};
  auto answer = x.live.read(x.model, ask_model("hi"));
  CHECK_FALSE(answer.failure);
  CHECK(text_of(answer.events) == "hello");
  auto exchanges = x.recorded();
  REQUIRE(exchanges.size() == 1);
  const auto& reply = std::get<cassette_reply>(exchanges[0].answer);
  CHECK(reply.text.text() == "hello");
  REQUIRE(reply.usage);
  CHECK(reply.usage->input_tokens == 7);
}

TEST_CASE("a recording passes pieces and retries through",
          "[model][cassette]") {
  auto x = fixture{"  - error: {kind: rate_limit}\n"
                   "  - reply: {text: abcdef, chunk: 2, chunk_delay: 1ms}\n"};
  auto answer = x.live.read(x.model, ask_model("hi"));
  CHECK_FALSE(answer.failure);
  CHECK(answer.retries() == 1);
  CHECK(answer.batches > 2);
  CHECK(text_of(answer.events) == "abcdef");
  CHECK(test::is_whole(answer.events));
  auto exchanges = x.recorded();
  REQUIRE(exchanges.size() == 2);
  const auto& failure = std::get<cassette_failure>(exchanges[0].answer);
  CHECK(failure.kind == errc::rate_limit);
  CHECK(std::get<cassette_reply>(exchanges[1].answer).text.text() == "abcdef");
}

TEST_CASE("a failure is recorded with the pieces before it",
          "[model][cassette]") {
  auto x = fixture{"  - error: {kind: disconnect, after_chunks: 1}\n"
                   "  - reply: {text: abcd, chunk: 2}\n"};
  auto answer = x.live.read(x.model, ask_model("hi"));
  REQUIRE(answer.failure);
  CHECK(answer.failure->kind == errc::network);
  CHECK(text_of(answer.events) == "ab");
  auto exchanges = x.recorded();
  REQUIRE(exchanges.size() == 1);
  const auto& failure = std::get<cassette_failure>(exchanges[0].answer);
  CHECK(failure.after_chunks == 1);
}

TEST_CASE("a recording that cannot be written fails the answer",
          "[model][cassette]") {
  auto x = fixture{"  - reply: {text: hello}\n", "missing/out.yaml"};
  auto answer = x.live.read(x.model, ask_model("hi"));
  REQUIRE(answer.failure);
  CHECK(answer.failure->kind == errc::configuration);
  CHECK_FALSE(test::is_whole(answer.events));
}

TEST_CASE("ending a recorded stream ends the one below", "[model][cassette]") {
  auto x = fixture{"  - reply: {text: ab, chunk: 1, chunk_delay: 1h}\n"};
  auto batch = x.live.ask<model_batch>(x.model, ask_model("hi"));
  REQUIRE(batch);
  REQUIRE(batch->rest);
  CHECK(x.live.ask<done>(batch->rest, end_work{}));
  // The models end only when their streams have.
  CHECK(x.live.ask<done>(x.inner, end_work{}));
  x.inner = nullptr;
}
