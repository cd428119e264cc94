#include "troupe/runtime/model/history.hpp"

#include "support/catch.hpp"

#include "troupe/runtime/messages/ids.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <random>
#include <set>

using namespace troupe;

namespace {

chat_message_ptr said(message_role role, std::string text) {
  auto result = chat_message{};
  result.role = role;
  result.text = std::move(text);
  return chat_message_ptr{std::move(result)};
}

chat_message_ptr calls(std::vector<std::string> ids) {
  auto result = chat_message{};
  result.role = message_role::assistant;
  for (auto& id : ids)
    result.calls.push_back({std::move(id), "tool", "{}", {}});
  return chat_message_ptr{std::move(result)};
}

chat_message_ptr answer(std::string id, std::string text) {
  auto result = chat_message{};
  result.role = message_role::tool;
  result.call_id = std::move(id);
  result.tool_name = "tool";
  result.text = std::move(text);
  return chat_message_ptr{std::move(result)};
}

std::string shape(const std::vector<chat_message_ptr>& messages) {
  auto result = std::string{};
  for (const auto& one : messages) {
    result += result.empty() ? "" : " ";
    if (one->role == message_role::tool)
      result += one->call_id + "=" + (one->is_error ? "lost" : one->text);
    else if (!one->calls.empty())
      result += "calls" + std::to_string(one->calls.size());
    else
      result += one->role == message_role::user ? "user" : "said";
  }
  return result;
}

} // namespace

TEST_CASE("results stand in the order of their calls", "[history]") {
  auto repaired = repair_history(
    {said(message_role::user, "go"), calls({"a", "b"}), answer("b", "2"),
     answer("a", "1"), said(message_role::assistant, "done")});
  CHECK(shape(repaired.messages) == "user calls2 a=1 b=2 said");
  CHECK(repaired.added.empty());
}

TEST_CASE("a call without a result gets one", "[history]") {
  auto repaired = repair_history(
    {said(message_role::user, "go"), calls({"a", "b"}), answer("b", "2"),
     said(message_role::user, "again"), calls({"c"})});
  CHECK(shape(repaired.messages)
        == "user calls2 a=lost b=2 user calls1 c=lost");
  CHECK(shape(repaired.added) == "a=lost c=lost");
}

TEST_CASE("a result without a call is left out", "[history]") {
  auto repaired = repair_history(
    {answer("x", "1"), calls({"a"}), answer("x", "2"), answer("a", "3"),
     answer("a", "4"), said(message_role::user, "go"), answer("a", "5")});
  CHECK(shape(repaired.messages) == "calls1 a=3 user");
}

TEST_CASE("ids that repeat are matched by occurrence", "[history]") {
  auto repaired
    = repair_history({calls({"a", "a"}), answer("a", "1"), answer("a", "2"),
                      calls({"a"}), answer("a", "3")});
  CHECK(shape(repaired.messages) == "calls2 a=1 a=2 calls1 a=3");
}

TEST_CASE("whatever was cut out of a log, its repair is valid and stays so",
          "[history]") {
  auto random = std::mt19937{7};
  for (int round = 0; round < 500; ++round) {
    auto log = std::vector<chat_message_ptr>{};
    for (int i = 0; i < 12; ++i) {
      auto id = std::string(1, static_cast<char>('a' + random() % 3));
      switch (random() % 4) {
        case 0:
          log.push_back(said(message_role::user, "u"));
          break;
        case 1:
          log.push_back(calls({id, "b"}));
          break;
        default:
          log.push_back(answer(id, "r"));
      }
    }
    auto once = repair_history(log).messages;
    auto open = size_t{0};
    for (const auto& one : once) {
      if (one->role == message_role::tool) {
        REQUIRE(open > 0);
        --open;
        continue;
      }
      REQUIRE(open == 0);
      open = one->calls.size();
    }
    REQUIRE(open == 0);
    auto twice = repair_history(once);
    CHECK(twice.added.empty());
    CHECK(shape(twice.messages) == shape(once));
  }
}

TEST_CASE("ids are made unique within their message", "[history]") {
  auto list = std::vector<tool_call>{{"x", "t", "{}", {}},
                                     {"x", "t", "{}", {}},
                                     {"", "t", "{}", {}},
                                     {"x_2", "t", "{}", {}},
                                     {"", "t", "{}", {}}};
  make_ids_unique(list);
  auto ids = std::set<std::string>{};
  for (const auto& one : list) {
    CHECK_FALSE(one.id.empty());
    ids.insert(one.id);
  }
  CHECK(ids.size() == list.size());
  CHECK(list.front().id == "x");
}

TEST_CASE("a stored message reads back, without its private reasoning",
          "[record]") {
  auto message = chat_message{};
  message.role = message_role::assistant;
  message.text = std::string(70'000, 'x') + "\n\xC3\xA9";
  message.reasoning = "secret thought";
  message.calls = {{"c1", "grep", R"({"a":1})", ""},
                   {"c2", "read", "{}", "not json"}};
  message.at = 1'790'000'000'123'456;
  auto bytes = encode_message(message);
  CHECK(bytes.find("secret thought") == std::string::npos);
  auto copy = decode_message(bytes);
  REQUIRE(copy);
  CHECK(copy->role == message.role);
  CHECK(copy->text == message.text);
  CHECK(copy->at == message.at);
  REQUIRE(copy->calls.size() == 2);
  CHECK(copy->calls[1].raw == "not json");
  CHECK(copy->reasoning.empty());
  // It is CBOR like any other.
  auto value = nlohmann::json::from_cbor(bytes);
  CHECK(value["t"] == message.text);
  CHECK(value["c"][0][1] == "grep");
}

TEST_CASE("damaged records are errors and never crash", "[record]") {
  auto message = chat_message{};
  message.role = message_role::tool;
  message.text = R"({"x":[1,2]})";
  message.call_id = "c";
  message.tool_name = "t";
  message.is_error = true;
  auto bytes = encode_message(message);
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(decode_message(std::string_view{bytes}.substr(0, size)));
  CHECK_FALSE(decode_message(bytes + "x"));
  CHECK_FALSE(decode_message(std::string(100'000, '\x81')));
  CHECK_FALSE(decode_message("\xBF"));
  CHECK_FALSE(decode_message("\xA1\x61r\x1B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"));
  auto random = std::mt19937{11};
  for (int round = 0; round < 20'000; ++round) {
    auto broken = bytes;
    broken[random() % broken.size()] = static_cast<char>(random());
    if (auto copy = decode_message(broken))
      CHECK(copy->text.size() <= bytes.size());
  }
  CHECK_FALSE(decode_state(bytes));
  CHECK(decode_state(encode_state("{}")).value() == "{}");
}

TEST_CASE("run ids are UUIDs of version 7 that sort by time", "[ids]") {
  auto ids = id_maker{};
  auto last = std::string{};
  auto all = std::set<std::string>{};
  for (int64_t at = 1'790'000'000'000'000; at < 1'790'000'000'900'000;
       at += 1000) {
    auto id = ids.next(at);
    REQUIRE(id.size() == 36);
    CHECK(id[14] == '7');
    CHECK(std::string{"89ab"}.find(id[19]) != std::string::npos);
    CHECK(id > last);
    last = id;
    all.insert(std::move(id));
  }
  CHECK(all.size() == 900);
  CHECK(rfc3339(1'790'000'000'123'456) == "2026-09-21T14:13:20.123456Z");
  CHECK(rfc3339(0) == "1970-01-01T00:00:00.000000Z");
  CHECK(rfc3339(-1) == "1969-12-31T23:59:59.999999Z");
  CHECK(rfc3339(-1'000'000) == "1969-12-31T23:59:59.000000Z");
}
