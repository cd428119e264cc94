#include "troupe/storage/codec_bytes.hpp"
#include "troupe/storage/run_codec.hpp"
#include "troupe/storage/session_codec.hpp"

#include "storage/codec_testing.hpp"

using namespace troupe;
using test::encode;
using test::message_of;

namespace {

session_head some_session() {
  return {7,
          9,
          5,
          -1,
          INT64_MAX,
          4,
          3,
          2,
          6,
          {"agent", "", "actor"},
          {"a", "b", ""},
          "run"};
}

stored_run some_run() {
  auto result = stored_run{};
  result.number = 11;
  auto& head = result.head;
  head.kind = "workflow";
  head.name = "report";
  head.queue = std::string{"\0nightly", 8};
  head.session = {"agent", "session", "actor"};
  head.status = run_status::suspended;
  head.created_at = -5;
  head.updated_at = INT64_MAX;
  head.due_at = INT64_MIN;
  head.lease = {"host/1/2", 3, 4};
  head.events = 17;
  head.recoveries = 2;
  head.cancel_requested = true;
  return result;
}

} // namespace

TEST_CASE("the head of a session reads back as written", "[storage]") {
  auto head
    = session_head_codec::read(encode<session_head_codec>(some_session()));
  REQUIRE(head);
  CHECK(head->number == 7);
  CHECK(head->records == 9);
  CHECK(head->messages == 5);
  CHECK(head->created_at == -1);
  CHECK(head->updated_at == INT64_MAX);
  CHECK(head->last_state == 4);
  CHECK(head->last_summary == 3);
  CHECK(head->parent == 2);
  CHECK(head->shared == 6);
  CHECK(head->key == session_key{"agent", "", "actor"});
  CHECK(head->parent_key == session_key{"a", "b", ""});
  CHECK(head->run_id == "run");
}

TEST_CASE("the head of a run reads back as written", "[storage]") {
  auto run = run_codec::read(encode<run_codec>(some_run()));
  REQUIRE(run);
  const auto& head = run->head;
  auto wanted = some_run().head;
  CHECK(run->number == 11);
  CHECK(head.kind == wanted.kind);
  CHECK(head.name == wanted.name);
  CHECK(head.queue == wanted.queue);
  CHECK(head.session == wanted.session);
  CHECK(head.status == wanted.status);
  CHECK(head.created_at == wanted.created_at);
  CHECK(head.updated_at == wanted.updated_at);
  CHECK(head.due_at == wanted.due_at);
  CHECK(head.lease.owner == wanted.lease.owner);
  CHECK(head.lease.epoch == wanted.lease.epoch);
  CHECK(head.lease.until == wanted.lease.until);
  CHECK(head.events == wanted.events);
  CHECK(head.recoveries == wanted.recoveries);
  CHECK(head.cancel_requested);
}

TEST_CASE("an artifact and a forked log read back as written", "[storage]") {
  auto stored = stored_artifact{42, {}, "text/plain"};
  stored.content.size = 77;
  stored.content.digest[31] = 'x';
  auto artifact = artifact_codec::read(encode<artifact_codec>(stored));
  REQUIRE(artifact);
  CHECK(artifact->at == 42);
  CHECK(artifact->content.size == 77);
  CHECK(artifact->content.digest == stored.content.digest);
  CHECK(artifact->media_type == "text/plain");
  auto log = forked_log_codec::read(encode<forked_log_codec>({1, 2, 3}));
  REQUIRE(log);
  CHECK(log->parent == 1);
  CHECK(log->shared == 2);
  CHECK(log->kept == 3);
}

TEST_CASE("a head of another version is refused by its number", "[storage]") {
  auto session = encode<session_head_codec>(some_session());
  session[0] = '\xff';
  CHECK(message_of(session_head_codec::read(session))
        == "a session has version 255, this troupe knows 2");
  auto run = encode<run_codec>(some_run());
  run[0] = 2;
  CHECK(message_of(run_codec::read(run))
        == "a run has version 2, this troupe knows 1");
  auto log = encode<forked_log_codec>({1, 2, 3});
  log[0] = 7;
  CHECK(message_of(forked_log_codec::read(log))
        == "a forked log has version 7, this troupe knows 1");
}

TEST_CASE("a head that promises what cannot be is refused", "[storage]") {
  auto refused = [](session_head head) {
    message_of(session_head_codec::read(encode<session_head_codec>(head)));
  };
  auto head = some_session();
  head.messages = 10;
  refused(head);
  head = some_session();
  head.last_summary = 10;
  refused(head);
  head = some_session();
  head.shared = 10;
  refused(head);
  // A log that is its own parent would be read forever.
  head = some_session();
  head.parent = head.number;
  refused(head);
  auto run = some_run();
  run.head.status = static_cast<run_status>(9);
  message_of(run_codec::read(encode<run_codec>(run)));
  auto endless = some_run();
  endless.head.name = std::string(longest_text + 1, 'x');
  message_of(run_codec::read(encode<run_codec>(endless)));
}

TEST_CASE("no cut or change of a head is read beyond its end", "[storage]") {
  test::check_hostile(encode<session_head_codec>(some_session()),
                      session_head_codec::read);
  test::check_hostile(encode<run_codec>(some_run()), run_codec::read);
  test::check_hostile(encode<forked_log_codec>({1, 2, 3}),
                      forked_log_codec::read);
  auto artifact = encode<artifact_codec>({});
  for (size_t size = 0; size < artifact.size(); ++size)
    CHECK_FALSE(artifact_codec::read(std::string{artifact.substr(0, size)}));
  message_of(artifact_codec::read(artifact + std::string(70000, 'x')));
}

TEST_CASE("random bytes never crash the codec of a head", "[storage]") {
  auto random = std::mt19937{1};
  for (int i = 0; i < 20000; ++i) {
    auto bytes = test::random_bytes(random, 160);
    session_head_codec::read(bytes);
    read_session_head_v1(bytes);
    run_codec::read(bytes);
    artifact_codec::read(bytes);
    forked_log_codec::read(bytes);
    fork_codec::read(bytes);
  }
}
