#include "troupe/actors/model/model_catalog.hpp"

#include "support/catch.hpp"
#include "support/http_server.hpp"
#include "support/live_system.hpp"
#include "support/model_answers.hpp"
#include "support/temp_dir.hpp"

#include "troupe/runtime/model/cassette.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using test::ask_model;
using test::text_of;

namespace {

const auto hello = std::string{"cassette: 1\nmodel: {images: false}\n"
                               "exchanges:\n  - reply: {text: hello}\n"};

struct fixture {
  explicit fixture(model_catalog_spec from = {}) : spec(std::move(from)) {
    spec.folder = dir.path().string();
    spec.pool = &pool;
    spec.http.no_proxy = "*";
    dir.write("hello.yaml", hello);
  }

  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;

  ~fixture() {
    if (catalog)
      CHECK(live.ask<done>(catalog, end_work{}));
  }

  caf::expected<model_handle> find(std::string target) {
    if (!catalog)
      catalog = live.system().spawn(model_catalog_behavior, spec);
    return live.ask<model_handle>(catalog, find_model{std::move(target), {}});
  }

  fault failure(std::string target) {
    auto found = find(target);
    auto checked = check_model(spec, target);
    REQUIRE_FALSE(found);
    REQUIRE(checked);
    CHECK(to_fault(checked).message == to_fault(found.error()).message);
    return to_fault(found.error());
  }

  std::string text(const model_handle& found) {
    auto request = ask_model("hi");
    request.model = found.model_id;
    return text_of(live.read(found.model, request).events);
  }

  test::temp_dir dir;
  co::blocking_pool pool{1};
  test::live_system live;
  model_catalog_spec spec;
  model_catalog_actor catalog;
};

model_actor::behavior_type parrot(model_actor::pointer) {
  return {
    [](const model_request& x) {
      auto batch = model_batch{};
      batch.events.resize(2);
      batch.events[0].text = x.messages.back()->text + " to " + x.model;
      batch.events[1].kind = model_event_kind::stop;
      return batch;
    },
    [](co::cancel_request) {},
  };
}

} // namespace

TEST_CASE("a catalog plays a cassette without any provider",
          "[model][catalog]") {
  auto x = fixture{};
  CHECK_FALSE(check_model(x.spec, "cassette:hello.yaml"));
  auto found = x.find("cassette:hello.yaml");
  REQUIRE(found);
  CHECK(found->model_id == (x.dir.path() / "hello.yaml").string());
  CHECK_FALSE(found->capabilities.images);
  CHECK(x.text(*found) == "hello");
  auto again = x.find("cassette:./hello.yaml");
  REQUIRE(again);
  CHECK(again->model == found->model);
}

TEST_CASE("a catalog follows roles and cassette providers",
          "[model][catalog]") {
  auto x = fixture{};
  auto& settings = x.spec.settings;
  settings.providers["tapes"].adapter = "cassette";
  settings.models["support"].target = "tapes:hello.yaml";
  settings.models["support"].settings_json = R"({"temperature":0.2})";
  settings.default_model = "support";
  CHECK_FALSE(check_model(x.spec, "support"));
  auto found = x.find("support");
  REQUIRE(found);
  CHECK(*found->settings_json == R"({"temperature":0.2})");
  CHECK(x.text(*found) == "hello");
  auto other = x.find("");
  REQUIRE(other);
  CHECK(other->model == found->model);
}

TEST_CASE("a catalog says what exists when a model does not",
          "[model][catalog]") {
  auto x = fixture{};
  auto& settings = x.spec.settings;
  settings.providers["primary"] = {};
  settings.providers["claude"].adapter = "anthropic";
  settings.models["support"].target = "primary:gpt-5";
  auto what = x.failure("suport");
  CHECK(what.kind == errc::configuration);
  CHECK(what.hint.find("support") != std::string::npos);
  what = x.failure("secondary:gpt-5");
  CHECK(what.kind == errc::configuration);
  CHECK(what.hint.find("primary") != std::string::npos);
  what = x.failure("claude:opus");
  CHECK(what.kind == errc::configuration);
  CHECK(what.message.find("later release") != std::string::npos);
  CHECK(x.failure("cassette:missing.yaml").kind == errc::configuration);
  x.dir.write("bad.yaml", "cassette: 1\nexchanges: [{}]\n");
  CHECK(x.failure("cassette:bad.yaml").kind == errc::configuration);
}

namespace {

/// Connections that two models of one catalog need for a request each.
size_t connections_of_two_models() {
  auto server = test::http_server{
    {test::reply_in_chunks({test::sse_text("good"), test::sse_end()})}};
  auto x = fixture{};
  for (auto name : {"one", "two"})
    x.spec.settings.providers[name].base_url = server.url();
  auto one = x.find("one:m1");
  auto two = x.find("two:m2");
  REQUIRE(one);
  REQUIRE(two);
  CHECK(one->model_id == "m1");
  CHECK(one->model != two->model);
  CHECK(x.text(*one) == "good");
  CHECK(x.text(*two) == "good");
  return server.connections();
}

} // namespace

TEST_CASE("a catalog's http models share one transport", "[model][net]") {
  // An answer is whole a moment before its connection is free, so the second
  // request may need another one; with two transports it always would.
  auto shared = false;
  for (int i = 0; i < 20 && !shared; ++i)
    shared = connections_of_two_models() == 1;
  CHECK(shared);
}

TEST_CASE("a model that died is started anew when it is asked for",
          "[model][catalog]") {
  auto x = fixture{};
  auto found = x.find("cassette:hello.yaml");
  REQUIRE(found);
  caf::anon_send_exit(found->model, caf::exit_reason::kill);
  CHECK(test::eventually([&] {
    auto again = x.find("cassette:hello.yaml");
    return again && again->model != found->model && x.text(*again) == "hello";
  }));
}

TEST_CASE("a catalog gives out the application's own models",
          "[model][catalog]") {
  auto x = fixture{};
  auto model = x.live.system().spawn(parrot);
  x.spec.models["mine"] = model;
  x.spec.settings.models["support"].target = "mine:v1";
  CHECK_FALSE(check_model(x.spec, "support"));
  auto found = x.find("support");
  REQUIRE(found);
  CHECK(x.text(*found) == "hi to v1");
  CHECK(x.live.ask<done>(x.catalog, end_work{}));
  x.catalog = nullptr;
  CHECK(x.text(*found) == "hi to v1"); // it is not the catalog's to end
}

TEST_CASE("a catalog records what its models answer", "[model][catalog]") {
  auto x = fixture{};
  x.spec.record_to = (x.dir.path() / "out.yaml").string();
  auto found = x.find("cassette:hello.yaml");
  REQUIRE(found);
  CHECK(x.text(*found) == "hello");
  auto recorded = load_cassette(x.spec.record_to);
  REQUIRE(recorded);
  CHECK(recorded->exchanges.size() == 1);
}

TEST_CASE("ending a catalog ends its streams first", "[model][net]") {
  auto server = test::http_server{{test::reply_and_hold(
    test::stream_head() + test::chunk_of(test::sse_text("a")))}};
  auto x = fixture{};
  x.spec.settings.providers["one"].base_url = server.url();
  auto found = x.find("one:m");
  REQUIRE(found);
  auto batch = x.live.ask<model_batch>(found->model, ask_model("hi"));
  REQUIRE(batch);
  REQUIRE(batch->rest);
  CHECK(x.live.ask<done>(x.catalog, end_work{}));
  x.catalog = nullptr;
  CHECK_FALSE(x.live.ask<model_batch>(batch->rest, pull_model_events{}));
  CHECK(test::eventually([&] { return server.open_connections() == 0; }));
}
