#include "troupe/runtime/run/stored_log.hpp"

#include "support/catch.hpp"
#include "support/forwarding_store.hpp"
#include "support/sample_blocks.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/model/message_record.hpp"

using namespace troupe;

namespace {

/// Counts the records that are read.
class counting_store : public test::forwarding_store {
public:
  counting_store() : forwarding_store(make_memory_store()) {
    // nop
  }

  caf::expected<std::vector<session_record>>
  load(const session_key& key, uint64_t after, size_t max) override {
    auto result = forwarding_store::load(key, after, max);
    if (result)
      records += result->size();
    return result;
  }

  size_t records = 0;
};

const auto key = session_key{"guide", "monday", ""};

session_record said(message_role role, std::string text) {
  auto message = chat_message{};
  message.role = role;
  message.text = std::move(text);
  return {0, record_kind::message, 1, encode_message(message)};
}

session_record summary(history_summary x) {
  return {0, record_kind::summary, 1, encode_summary(x)};
}

void append(store& disk, std::vector<session_record> records) {
  auto batch = std::vector<store_commit>(1);
  batch[0].sessions.push_back({key, std::move(records)});
  REQUIRE_FALSE(disk.commit(batch));
}

/// As many records of a question and an answer in turn.
std::vector<session_record> talk(size_t count) {
  auto result = std::vector<session_record>{};
  for (size_t i = 1; i <= count; ++i)
    result.push_back(
      said(i % 2 == 1 ? message_role::user : message_role::assistant,
           std::to_string(i)));
  return result;
}

std::string texts(const std::vector<chat_message_ptr>& messages) {
  auto result = std::string{};
  for (const auto& one : messages) {
    auto old = summary_text(*one);
    result += (old.empty() ? one->text : '(' + std::string{old} + ')') + ' ';
  }
  return result;
}

session_record showing(std::vector<content_block> blocks) {
  auto message = chat_message{};
  message.blocks = std::move(blocks);
  return {0, record_kind::message, 1, encode_message(message),
          blobs_of(message)};
}

} // namespace

TEST_CASE("a conversation comes back with what it shows", "[sessions]") {
  auto disk = make_memory_store();
  append(*disk, {showing({test::image_block({}, "a.png"), test::pdf_block()}),
                 showing({test::image_block({}, "b.png")})});
  auto read = read_session(*disk, key);
  REQUIRE(read);
  const auto& blocks = read->messages[0]->blocks;
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].name == "a.png");
  CHECK(blocks[0].media_type == "image/png");
  CHECK(blocks[0].digest == test::image_block().digest);
  CHECK(blocks[0].size == test::png_bytes().size());
  CHECK(*blocks[0].bytes == test::png_bytes());
  CHECK(*blocks[1].bytes == test::pdf_bytes());
  CHECK(read->messages[1]->blocks[0].bytes.pointer()
        == blocks[0].bytes.pointer()); // the same image, once in memory
  auto whole = read_whole_session(*disk, key);
  REQUIRE(whole);
  for (const auto& one : *whole)
    for (const auto& block : one->blocks)
      CHECK_FALSE(block.bytes);
}

TEST_CASE("no more of a conversation is loaded than a request has",
          "[sessions]") {
  auto large = [](char fill) {
    return test::text_block(std::string(largest_block, fill));
  };
  auto disk = make_memory_store();
  append(*disk, {showing({large('a')}), showing({large('b'), large('c')})});
  auto read = read_session(*disk, key);
  REQUIRE(read);
  CHECK_FALSE(read->messages[0]->blocks[0].bytes);
  CHECK(read->messages[0]->blocks[0].size == largest_block);
  CHECK(read->messages[1]->blocks[0].bytes);
  CHECK(read->messages[1]->blocks[1].bytes);
}

TEST_CASE("a record whose blobs are not those of its message is damage",
          "[sessions]") {
  auto disk = make_memory_store();
  auto record = showing({test::image_block()});
  record.blobs.clear();
  append(*disk, {record});
  auto read = read_session(*disk, key);
  REQUIRE_FALSE(read);
  CHECK(to_fault(read.error()).kind == errc::storage);
}

TEST_CASE("a long conversation is read from its last summary on",
          "[sessions]") {
  counting_store disk;
  append(disk, talk(99'990));
  append(disk, {{0, record_kind::state, 1, encode_state(R"({"n":1})")},
                summary({"all of that", 99'987, 0})});
  append(disk, talk(8));
  auto read = read_session(disk, key);
  REQUIRE(read);
  CHECK(read->records == 100'000);
  CHECK(texts(read->messages)
        == "(all of that) 99987 99988 99989 99990 1 2 3 4 5 6 7 8 ");
  CHECK(read->state_json == R"({"n":1})");
  CHECK(read->messages[1]->record == 99'987);
  CHECK(read->messages.back()->record == 100'000);
  CHECK(disk.records < 20);
}

TEST_CASE("what the user asked last is read from before a summary",
          "[sessions]") {
  counting_store disk;
  append(disk, talk(6));
  append(disk, {summary({"found", 4, 1})});
  CHECK(texts(read_session(disk, key)->messages) == "(found) 1 4 5 6 ");
  append(disk, {summary({"", 6, 5})});
  CHECK(texts(read_session(disk, key)->messages) == "5 6 ");
}

TEST_CASE("only the last summary counts, and the log keeps everything",
          "[sessions]") {
  counting_store disk;
  append(disk, talk(4));
  append(disk, {summary({"first", 3, 0})});
  append(disk, talk(2));
  append(disk, {summary({"second", 6, 0})});
  CHECK(texts(read_session(disk, key)->messages) == "(second) 1 2 ");
  CHECK(texts(*read_whole_session(disk, key)) == "1 2 3 4 1 2 ");
}

TEST_CASE("a fork from before a summary has what came before it",
          "[sessions]") {
  counting_store disk;
  append(disk, talk(4));
  append(disk, {summary({"short", 3, 0})});
  auto before = session_key{"guide", "before", ""};
  auto behind = session_key{"guide", "behind", ""};
  REQUIRE(*disk.fork(key, 4, before, 1));
  REQUIRE(*disk.fork(key, 5, behind, 1));
  CHECK(texts(read_session(disk, before)->messages) == "1 2 3 4 ");
  CHECK(texts(read_session(disk, behind)->messages) == "(short) 3 4 ");
}
