#include "troupe/runtime/run/session_text.hpp"

#include "support/sample_blocks.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/sandbox/remote/base64.hpp"

#include <nlohmann/json.hpp>

#include <sstream>

using namespace troupe;
using nlohmann::json;

namespace {

session_record record(record_kind kind, int64_t at, std::string body) {
  return {0, kind, at, std::move(body)};
}

session_record record(int64_t at, chat_message message) {
  message.at = at;
  auto result = record(record_kind::message, at, encode_message(message));
  result.blobs = blobs_of(message);
  return result;
}

chat_message said(message_role role, std::string text) {
  auto result = chat_message{};
  result.role = role;
  result.text = std::move(text);
  return result;
}

/// One record of every kind, and what is hard to say in JSON.
std::vector<session_record> all_kinds() {
  auto calls = said(message_role::assistant, "I look.");
  calls.calls = {{"c1", "grep", R"({"z":1,"a":[1.5,null]})", ""},
                 {"c2", "grep", R"({ "spaced" : true })", ""},
                 {"c3", "grep", "{}", "not json"}};
  auto result = said(message_role::tool, R"({"stdout":"x","status":0})");
  result.call_id = "c1";
  result.tool_name = "grep";
  auto plain = result;
  plain.text = "plain";
  plain.is_error = true;
  return {record(1'000'001,
                 said(message_role::user, "Wie geht's? \xF0\x9F\x8E\xAD")),
          record(record_kind::intent, 5, encode_intent({"c1", 2})),
          record(2'000'002, calls),
          record(3, result),
          record(4, plain),
          record(record_kind::state, 6, encode_state(R"({"b":1,"a":2})")),
          record(record_kind::summary, 7, encode_summary({"short", 3, 1})),
          record(8, said(message_role::user, "\xFF\xFE no UTF-8"))};
}

std::unique_ptr<store> store_with(const session_key& key,
                                  std::vector<session_record> records) {
  auto result = make_memory_store();
  auto batch = std::vector<store_commit>(1);
  batch[0].sessions.push_back({key, std::move(records)});
  REQUIRE_FALSE(result->commit(batch));
  return result;
}

std::string exported(store& disk, const session_key& key) {
  auto result = std::string{};
  auto add = [&](const std::string& line) { result += line + '\n'; };
  REQUIRE_FALSE(export_session(disk, key, add));
  return result;
}

/// What is wrong with `text`.
fault refusal(const std::string& text) {
  auto in = std::istringstream{text};
  auto read = read_exported(in);
  REQUIRE_FALSE(read);
  return to_fault(read.error());
}

const auto key = session_key{"guide", "monday", "ann"};

} // namespace

TEST_CASE("a session comes back from its export to the byte", "[sessions]") {
  auto disk = store_with(key, all_kinds());
  auto text = exported(*disk, key);
  auto in = std::istringstream{text};
  auto read = read_exported(in);
  REQUIRE(read);
  auto copy = make_memory_store();
  REQUIRE_FALSE(import_session(*copy, std::move(*read)));
  auto before = *disk->load(key, 0, 100);
  auto after = *copy->load(key, 0, 100);
  REQUIRE(after.size() == before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    CAPTURE(i);
    CHECK(after[i].kind == before[i].kind);
    CHECK(after[i].at == before[i].at);
    CHECK(after[i].body == before[i].body);
  }
  CHECK(exported(*copy, key) == text);
  auto head = **copy->find_session(key);
  CHECK(head.last_summary == 7);
  CHECK(head.last_state == 6);
}

TEST_CASE("each line of an export is JSON that a reader understands",
          "[sessions]") {
  auto disk = store_with(key, all_kinds());
  auto in = std::istringstream{exported(*disk, key)};
  auto lines = std::vector<json>{};
  for (auto line = std::string{}; std::getline(in, line);)
    lines.push_back(json::parse(line));
  REQUIRE(lines.size() == 9);
  CHECK(lines[0]["session_id"] == "monday");
  CHECK(lines[0]["records"] == 8);
  CHECK(lines[1]["content"][0]["type"] == "text");
  CHECK_FALSE(lines[1].contains("body"));
  CHECK(lines[2]["kind"] == "intent");
  CHECK(lines[3]["content"][1]["arguments"]["z"] == 1);
  CHECK(lines[4]["content"][0]["content"]["stdout"] == "x");
  CHECK_FALSE(lines[4].contains("body"));
  CHECK(lines[5].contains("body")); // no JSON, which it has to be read back as
  CHECK(lines[6]["state"]["a"] == 2);
  CHECK(lines[7]["keep_from"] == 3);
}

TEST_CASE("images and documents come back from an export", "[sessions]") {
  auto first = said(message_role::user, "look");
  first.blocks = {test::image_block(), test::pdf_block(),
                  test::image_block({}, "again.png")};
  auto second = said(message_role::user, "\xFF"); // with an exact body
  second.blocks = {test::image_block()};
  auto disk = store_with(key, {record(1, first), record(2, second)});
  auto text = exported(*disk, key);
  auto data = to_base64(test::png_bytes());
  CHECK(text.find(data) != std::string::npos);
  CHECK(text.find(data, text.find(data) + 1) == std::string::npos); // once
  auto in = std::istringstream{text};
  auto read = read_exported(in);
  REQUIRE(read);
  auto copy = make_memory_store();
  REQUIRE_FALSE(import_session(*copy, std::move(*read)));
  CHECK(exported(*copy, key) == text);
  auto records = *copy->load(key, 0, 100);
  REQUIRE(records.size() == 2);
  REQUIRE(records[0].blobs.size() == 3);
  CHECK(**copy->load_blob(records[0].blobs[1]) == test::pdf_bytes());
  CHECK(**copy->load_blob(records[1].blobs[0]) == test::png_bytes());
  auto line = json::parse(
    text.substr(text.find('\n') + 1,
                text.find('\n', text.find('\n') + 1) - text.find('\n') - 1));
  CHECK(line["content"][1]["type"] == "image");
  CHECK(line["content"][2]["type"] == "document");
  CHECK(line["content"][3]["name"] == "again.png");
}

TEST_CASE("an import refuses blobs that are not what they say", "[sessions]") {
  auto message = said(message_role::user, "look");
  message.blocks = {test::image_block()};
  auto disk = store_with(key, {record(1, message)});
  auto text = exported(*disk, key);
  auto with = [&](const std::string& old, const std::string& other) {
    auto result = text;
    auto at = result.find(old);
    REQUIRE(at != std::string::npos);
    result.replace(at, old.size(), other);
    return refusal(result).message;
  };
  CHECK(with("\"data\":\"i", "\"data\":\"j").find("digest")
        != std::string::npos);
  CHECK(with("\"data\":", "\"gone\":").find("no `data`") != std::string::npos);
  with("\"blobs\":", "\"lost\":"); // more blocks than blobs
  with("\"type\":\"image\"", "\"type\":\"film\"");
  with("\"image/png\"", "\"a\\\"b\"");
}

TEST_CASE("names of any bytes survive an export", "[sessions]") {
  for (const auto& name :
       {session_key{"a", "\xFF", ""}, session_key{"\xC0", "s", "\x80"},
        session_key{"a\n\"b", "s\\", "{}"}}) {
    auto disk = store_with(name, {record(1, said(message_role::user, "x"))});
    auto in = std::istringstream{exported(*disk, name)};
    auto read = read_exported(in);
    REQUIRE(read);
    CHECK(read->key == name);
  }
}

TEST_CASE("an import never touches a session that exists", "[sessions]") {
  auto disk = store_with(key, all_kinds());
  auto in = std::istringstream{exported(*disk, key)};
  auto why = import_session(*disk, std::move(*read_exported(in)));
  REQUIRE(why);
  CHECK(to_fault(why).kind == errc::configuration);
  CHECK(disk->load(key, 0, 100)->size() == 8);
}

TEST_CASE("an import says which line is wrong", "[sessions]") {
  constexpr auto head = "{\"troupe_session\":1,\"session_id\":\"s\",\"agent\":"
                        "\"a\",\"actor_id\":null,\"records\":1}\n";
  constexpr auto user = "{\"seq\":1,\"kind\":\"message\",\"role\":\"user\","
                        "\"content\":[],\"at\":\"2026-01-01T00:00:00Z\"}\n";
  auto good = std::istringstream{std::string{head} + "\n" + user};
  CHECK(read_exported(good));
  auto wrong = std::vector<std::pair<std::string, std::string>>{
    {"", "line 1"},
    {"no json\n", "line 1"},
    {"[1]\n", "line 1"},
    {"{\"troupe_session\":2}\n", "line 1"},
    {head, "line 2"},
    {std::string{head} + user + user, "line 3"},
    {std::string{head} + "{\"seq\":2}\n", "line 2"},
    {std::string{head} + "{\"seq\":1,\"kind\":\"other\"}\n", "line 2"},
    {std::string{head}
       + "{\"seq\":1,\"kind\":\"state\",\"at\":\"2026-01-01T00:00:00Z\","
         "\"body\":\"00\"}\n",
     "line 2"},
    {std::string{head}
       + "{\"seq\":1,\"kind\":\"state\",\"at\":\"today\",\"state\":{}}\n",
     "line 2"},
    {std::string{head} + std::string(100'000, '[') + "\n", "line 2"},
  };
  for (const auto& [text, where] : wrong) {
    CAPTURE(text.substr(0, 200));
    auto what = refusal(text);
    CHECK(what.kind == errc::configuration);
    CHECK(what.where == where);
    CHECK_FALSE(what.message.empty());
  }
}
