#include "support/asker.hpp"
#include "support/catch.hpp"
#include "support/forwarding_store.hpp"
#include "support/stage.hpp"

#include "troupe/actors/session/session_registry.hpp"
#include "troupe/actors/store/store.hpp"

#include "caf/all.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// A store that refuses what it is told to refuse.
class picky_store : public test::forwarding_store {
public:
  picky_store() : forwarding_store(make_memory_store()) {
    // nop
  }

  bool is_on_disk() const noexcept override {
    return true;
  }

  caf::error commit(std::vector<store_commit>& batch) override {
    ++commits;
    for (const auto& entry : batch)
      for (const auto& append : entry.sessions)
        if (append.key.session_id == refused)
          return make_error(errc::storage, "refused");
    return forwarding_store::commit(batch);
  }

  std::string refused;
  int commits = 0;
};

/// What adds `message` to a session without any run.
commit_run append(std::string session, chat_message_ptr message) {
  auto result = commit_run{};
  result.run = shared<run_key>{run_key{{}, 0, {"a", std::move(session), ""}}};
  result.log.push_back({std::move(message), {}, {}, {}});
  return result;
}

sync_store sync(std::string session) {
  return {shared<run_key>{run_key{{}, 0, {"a", std::move(session), ""}}}};
}

struct world {
  world() {
    auto owned = std::make_unique<picky_store>();
    disk = owned.get();
    store = stage.spawn(store_behavior,
                        std::make_shared<std::unique_ptr<troupe::store>>(
                          std::move(owned)));
    registry = stage.spawn(session_registry_behavior,
                           session_registry_spec{store, 1min});
  }

  ~world() {
    for (auto& run : runs)
      run->die();
    caf::anon_send_exit(registry, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(store, caf::exit_reason::user_shutdown);
    stage.run();
  }

  test::answer<session_turn> open(const std::string& run,
                                  const std::string& session = "s",
                                  const std::string& actor = "") {
    // A run lives on with its turn.
    runs.push_back(std::make_unique<test::asker>(stage));
    return runs.back()->ask<session_turn>(
      registry, open_turn{{"a", session, actor}, run, false, false});
  }

  /// Stores what is new of `messages` and gives the turn back with them.
  void close(const std::string& run, std::vector<chat_message_ptr> messages,
             bool keep = true) {
    for (; stored < messages.size(); ++stored)
      append(messages[stored]);
    auto records = uint64_t{stored};
    stage.send(
      registry,
      close_turn{
        {"a", "s", ""}, run, keep, std::move(messages), R"({"n":1})", records});
  }

  void append(const chat_message_ptr& message,
              const std::string& session = "s") {
    stage.send(store, ::append(session, message));
  }

  test::stage stage;
  picky_store* disk = nullptr;
  size_t stored = 0;
  store_actor store;
  session_registry_actor registry;
  std::vector<std::unique_ptr<test::asker>> runs;
};

chat_message_ptr user(std::string text) {
  auto result = chat_message{};
  result.text = std::move(text);
  return chat_message_ptr{std::move(result)};
}

const session_turn& turn_of(const test::answer<session_turn>& answer) {
  REQUIRE(answer->has_value());
  REQUIRE((*answer)->engaged());
  return ***answer;
}

} // namespace

TEST_CASE("a session gives its turn to one run at a time, in order",
          "[session]") {
  world world;
  auto first = world.open("r1");
  auto second = world.open("r2");
  auto third = world.open("r3");
  CHECK(first->has_value());
  CHECK_FALSE(second->has_value());
  world.close("r1", {user("one")});
  CHECK(turn_of(second).messages.size() == 1);
  CHECK(turn_of(second).state_json == R"({"n":1})");
  CHECK_FALSE(third->has_value());
  world.close("r2", {user("one"), user("two")});
  CHECK(turn_of(third).messages.size() == 2);
}

TEST_CASE("a run that no longer waits leaves the queue", "[session]") {
  world world;
  auto first = world.open("r1");
  auto second = world.open("r2");
  auto third = world.open("r3");
  world.close("r2", {}, false);
  REQUIRE(second->has_value());
  CHECK(to_fault((*second)->error()).kind == errc::cancelled);
  world.close("r1", {});
  CHECK(third->has_value());
}

TEST_CASE("a run that dies loses its turn to the next", "[session]") {
  world world;
  auto first = world.open("r1");
  auto second = world.open("r2");
  auto third = world.open("r3");
  world.runs[1]->die();
  CHECK_FALSE(third->has_value());
  world.append(user("stored"));
  world.runs[0]->die();
  CHECK(turn_of(third).messages.size() == 1);
}

TEST_CASE("sessions of other actors and names do not wait", "[session]") {
  world world;
  CHECK(world.open("r1")->has_value());
  CHECK(world.open("r2", "s", "ann")->has_value());
  CHECK(world.open("r3", "t")->has_value());
  CHECK_FALSE(world.open("r4")->has_value());
}

TEST_CASE("a session comes back from the store when it was idle", "[session]") {
  world world;
  auto first = world.open("r1");
  world.append(user("hello"));
  world.stored = 2;
  // What the run says it kept in memory is not what a new session finds.
  world.close("r1", {user("hello"), user("never stored")});
  world.stage.advance(3min);
  auto second = world.open("r2");
  CHECK(turn_of(second).messages.size() == 1);
  CHECK(turn_of(second).messages[0]->text == "hello");
}

TEST_CASE("a turn that was not kept is loaded anew", "[session]") {
  world world;
  auto first = world.open("r1");
  world.append(user("hello"));
  world.close("r1", {}, false);
  CHECK(turn_of(world.open("r2")).messages.size() == 1);
}

TEST_CASE("a session that was just made up can be joined", "[session]") {
  world world;
  world.runs.push_back(std::make_unique<test::asker>(world.stage));
  auto first = world.runs[0]->ask<session_turn>(
    world.registry, open_turn{{"a", "s", ""}, "r1", true});
  CHECK(turn_of(first).messages.empty());
  auto second = world.open("r2");
  CHECK_FALSE(second->has_value());
  SECTION("when its run is over") {
    world.close("r1", {user("one")});
    CHECK(turn_of(second).messages.size() == 1);
  }
  SECTION("when its run has died") {
    world.append(user("stored"));
    world.runs[0]->die();
    CHECK(turn_of(second).messages.size() == 1);
  }
}

TEST_CASE("an open call in the store is repaired for the next turn",
          "[session]") {
  world world;
  world.append(user("go"));
  auto calls = chat_message{};
  calls.role = message_role::assistant;
  calls.calls = {{"c1", "t", "{}", {}}};
  world.append(chat_message_ptr{std::move(calls)});
  auto answer = world.open("r1");
  const auto& turn = turn_of(answer);
  REQUIRE(turn.messages.size() == 3);
  CHECK(turn.messages[2]->is_error);
  CHECK(turn.repaired.size() == 1);
}

TEST_CASE("appends that wait are committed together", "[store]") {
  world world;
  for (int i = 0; i < 64; ++i)
    caf::anon_send(world.store, append("s" + std::to_string(i), user("x")));
  auto synced = world.stage.ask<done>(world.store, sync("s1"));
  REQUIRE(synced->has_value());
  CHECK((*synced)->engaged());
  CHECK(world.disk->commits == 1);
}

TEST_CASE("who cannot be stored is told, others are not harmed", "[store]") {
  world world;
  world.disk->refused = "bad";
  caf::anon_send(world.store, append("bad", user("x")));
  caf::anon_send(world.store, append("good", user("x")));
  auto bad = world.stage.ask<done>(world.store, sync("bad"));
  auto good = world.stage.ask<done>(world.store, sync("good"));
  REQUIRE(bad->has_value());
  REQUIRE_FALSE((*bad)->engaged());
  CHECK(to_fault((*bad)->error()).kind == errc::storage);
  CHECK((*good)->engaged());
  CHECK(turn_of(world.open("r", "good")).messages.size() == 1);
}

TEST_CASE("closing a store commits what has arrived", "[store]") {
  auto owned = std::make_unique<picky_store>();
  auto* disk = owned.get();
  test::stage stage;

  // The object outlives its actor.
  auto shared_disk = std::shared_ptr<troupe::store>{std::move(owned)};

  class keeper : public test::forwarding_store {
  public:
    using forwarding_store::forwarding_store;
  };

  auto store = stage.spawn(store_behavior,
                           std::make_shared<std::unique_ptr<troupe::store>>(
                             std::make_unique<keeper>(shared_disk)));
  caf::anon_send(store, append("s", user("x")));
  caf::anon_send_exit(store, caf::exit_reason::user_shutdown);
  store = nullptr;
  stage.run();
  CHECK(disk->list("s")->size() == 1);
}
