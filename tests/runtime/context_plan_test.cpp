#include "troupe/runtime/model/context_plan.hpp"

#include "support/catch.hpp"

#include "troupe/runtime/model/message_record.hpp"

using namespace troupe;

namespace {

/// A conversation written as one letter a message: u the user, a an answer, c
/// an answer with two calls, r the result of one; each of 400 bytes and with
/// its place as its record. S is an earlier summary.
std::vector<chat_message_ptr> conversation(const std::string& letters) {
  auto result = std::vector<chat_message_ptr>{};
  for (auto letter : letters) {
    auto message = chat_message{};
    message.text = std::string(384, 'x');
    message.record = result.size() + 1;
    if (letter == 'S')
      message = summary_message({std::string(300, 's'), 9, 0}, 1);
    else if (letter == 'r')
      message.role = message_role::tool;
    else if (letter != 'u')
      message.role = message_role::assistant;
    if (letter == 'c')
      message.calls = {{"", "", "", ""}, {"", "", "", ""}};
    result.emplace_back(std::move(message));
  }
  return result;
}

context_cut cut(const std::string& letters, uint64_t target,
                cut_rule rule = cut_rule::summarized) {
  return plan_cut(conversation(letters), {}, target, rule);
}

/// What is left, as records; S for a summary.
std::string left(const std::string& letters, uint64_t target,
                 cut_rule rule = cut_rule::summarized) {
  auto messages = conversation(letters);
  auto plan = plan_cut(messages, {}, target, rule);
  auto summary = chat_message_ptr{};
  if (rule == cut_rule::summarized && plan.count > 0)
    summary = chat_message_ptr{summary_message({"new", 1, 0}, 1)};
  auto result = std::string{};
  for (const auto& one : apply_cut(messages, plan, summary))
    result += summary_text(*one).empty() ? std::to_string(one->record) + " "
                                         : "S ";
  return result;
}

} // namespace

TEST_CASE("an estimate is four bytes a token", "[context]") {
  CHECK(estimate_tokens({}, {}) == 0);
  CHECK(estimate_tokens(conversation("ua"), {}) == 200);
  auto use = context_use{};
  use.fixed_bytes = 401;
  CHECK(estimate_tokens(conversation("ua"), use) == 301);
  auto tools = std::vector<tool_description>{{"abcd", "efgh", "ijkl"}};
  CHECK(fixed_bytes(conversation("u"), tools) == 400 + 16 + 12);
}

TEST_CASE("what the provider counted is taken where it is more", "[context]") {
  auto use = context_use{};
  use.counted_messages = 2;
  use.counted_tokens = 1000;
  CHECK(estimate_tokens(conversation("uau"), use) == 1100);
  use.counted_tokens = 10;
  CHECK(estimate_tokens(conversation("uau"), use) == 300);
}

TEST_CASE("parts of a window do not overflow", "[context]") {
  CHECK(part_of(200'000, 85) == 170'000);
  CHECK(part_of(99, 50) == 49);
  CHECK(part_of(UINT64_MAX, 100) == UINT64_MAX);
  CHECK(part_of(0, 85) == 0);
}

TEST_CASE("the fewest of the oldest groups go", "[context]") {
  CHECK(left("uauauau", 500) == "S 3 4 5 6 7 ");
  CHECK(left("uauauau", 400) == "S 4 5 6 7 ");
  CHECK(left("uauauau", 100) == "S 7 ");
}

TEST_CASE("a call goes with all of its results or stays with them",
          "[context]") {
  // 1 u, 2-4 a group, 5-7 a group, 8 a, 9 u
  CHECK(left("ucrrcrrau", 820) == "S 2 3 4 5 6 7 8 9 ");
  CHECK(left("ucrrcrrau", 650) == "S 5 6 7 8 9 ");
  CHECK(left("ucrrcrrau", 400) == "S 8 9 ");
}

TEST_CASE("what the user asked last stays, and the last group", "[context]") {
  CHECK(left("ucrrcrrcrr", 1) == "S 1 8 9 10 ");
  CHECK(left("uaucrrcrr", 1) == "S 3 7 8 9 ");
  CHECK(cut("ucrrcrr", 1).stays == 0u);
  CHECK_FALSE(cut("uauau", 200).stays);
}

TEST_CASE("a conversation with nothing to spare is not cut", "[context]") {
  for (auto letters : {"", "u", "ucrr", "Su", "Sucrr", "a", "crr"}) {
    CAPTURE(letters);
    CHECK(cut(letters, 1).count == 0);
    CHECK(cut(letters, 1, cut_rule::dropped).count == 0);
  }
}

TEST_CASE("without a summary what is left begins with the user", "[context]") {
  CHECK(left("uauauau", 600, cut_rule::dropped) == "3 4 5 6 7 ");
  CHECK(left("ucrraucrraua", 710, cut_rule::dropped) == "6 7 8 9 10 11 12 ");
  // Behind the last question it is that which comes first.
  CHECK(left("uaucrrcrrcrr", 1, cut_rule::dropped) == "3 10 11 12 ");
}

TEST_CASE("an earlier summary goes with the oldest group", "[context]") {
  CHECK(left("Suauau", 300) == "S 4 5 6 ");
  CHECK(left("Scrrcrrau", 1) == "S 9 ");
}

TEST_CASE("a cut is where the log can say so", "[context]") {
  auto messages = conversation("uauau");
  auto unstored = *messages[2];
  unstored.record = 0;
  messages[2] = chat_message_ptr{std::move(unstored)};
  CHECK(plan_cut(messages, {}, 300, cut_rule::summarized).count == 3);
}

TEST_CASE("a provider that counts more is believed about the rest",
          "[context]") {
  auto messages = conversation("uauauau");
  auto use = context_use{};
  use.counted_messages = 7;
  use.counted_tokens = 7000; // ten times the bytes
  CHECK(plan_cut(messages, use, 5000, cut_rule::summarized).count == 2);
}

TEST_CASE("a transcript names who speaks and abridges what is long",
          "[context]") {
  auto messages = std::vector<chat_message_ptr>{};
  auto asked = chat_message{};
  asked.text = "How many?";
  messages.emplace_back(asked);
  auto call = chat_message{};
  call.role = message_role::assistant;
  call.text = "I look.";
  call.calls = {{"c1", "count", R"({"of":"tests"})", ""}};
  messages.emplace_back(call);
  auto result = chat_message{};
  result.role = message_role::tool;
  result.tool_name = "count";
  result.text = std::string(5000, '7');
  messages.emplace_back(result);
  auto whole = transcript_of(messages, 3, 0);
  CHECK(whole.starts_with("user: How many?\nassistant: I look.\n"
                          "assistant calls count {\"of\":\"tests\"}\n"
                          "result of count: 777"));
  CHECK(whole.size() > 5000);
  CHECK(transcript_of(messages, 2, 0).find("result") == std::string::npos);
  auto abridged = transcript_of(messages, 3, 3000);
  CHECK(abridged.size() < 3000);
  CHECK(abridged.starts_with("user: How many?\n"));
  CHECK(transcript_of(messages, 3, 50).size() <= 50);
}

TEST_CASE("a summary is told from what a user says like it", "[context]") {
  auto summary = summary_message({"They met.", 1, 0}, 1);
  CHECK(summary_text(summary) == "They met.");
  summary.record = 7; // a user wrote it
  CHECK(summary_text(summary).empty());
}
