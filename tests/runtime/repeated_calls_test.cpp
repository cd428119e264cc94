#include "troupe/runtime/run/repeated_calls.hpp"

#include "support/catch.hpp"

using namespace troupe;

namespace {

/// A conversation that grows by turns of one call each.
class conversation {
public:
  void call(const std::string& name, const std::string& arguments,
            const std::string& result) {
    auto answer = chat_message{};
    answer.role = message_role::assistant;
    answer.calls = {{"c", name, arguments, {}}};
    add(std::move(answer));
    auto told = chat_message{};
    told.role = message_role::tool;
    told.text = result;
    add(std::move(told));
  }

  void say(const std::string& text) {
    auto message = chat_message{};
    message.text = text;
    add(std::move(message));
  }

  std::vector<chat_message_ptr> messages;

private:
  void add(chat_message message) {
    message.record = ++records_;
    messages.emplace_back(std::move(message));
  }

  uint64_t records_ = 0;
};

} // namespace

TEST_CASE("equal calls with equal results are counted, whatever is between",
          "[repeats]") {
  auto x = conversation{};
  auto counter = repeated_calls{};
  x.say("go");
  x.call("look", R"({"a": 1, "b": [2]})", "1");
  CHECK(counter.take(x.messages, 1).count == 1);
  x.call("other", R"({"a": 1, "b": [2]})", "1");
  CHECK(counter.take(x.messages, 1).count == 1);
  x.say("and then?");
  x.call("look", R"({"b":[2],"a":1})", "1");
  auto found = counter.take(x.messages, 1);
  CHECK(found.count == 2);
  CHECK(found.tool == "look");
  x.call("look", R"({"a": 1, "b": [2]})", "2");
  CHECK(counter.take(x.messages, 1).count == 1);
  CHECK(counter.take(x.messages, 1).count == 0); // nothing new
}

TEST_CASE("a conversation that is read again counts as it did", "[repeats]") {
  auto x = conversation{};
  for (auto i = 0; i < 4; ++i)
    x.call("look", "{}", "null");
  auto all = repeated_calls{};
  CHECK(all.take(x.messages, 0).count == 4);
  auto of_this_run = repeated_calls{};
  CHECK(of_this_run.take(x.messages, x.messages[3]->record).count == 2);
  x.call("other", "{}", "null");
  CHECK(repeated_calls{}.take(x.messages, 0).count == 1); // of the last turn
}

TEST_CASE("a conversation that was shortened goes on counting", "[repeats]") {
  auto x = conversation{};
  auto counter = repeated_calls{};
  x.say("go");
  x.call("look", "{}", "null");
  x.call("look", "{}", "null");
  CHECK(counter.take(x.messages, 1).count == 2);
  x.call("look", "{}", "null");
  auto summary = chat_message_ptr{chat_message{}};
  auto shorter = std::vector{summary, x.messages[0], x.messages[5],
                             x.messages[6]};
  CHECK(counter.take(shorter, 1).count == 3);
}

TEST_CASE("a turn that wants results is counted when it has them",
          "[repeats]") {
  auto x = conversation{};
  auto counter = repeated_calls{};
  x.call("look", "{}", "null");
  auto open = x.messages;
  open.pop_back();
  CHECK(counter.take(open, 0).count == 0);
  CHECK(counter.take(x.messages, 0).count == 1);
}

TEST_CASE("the parts of a call are not mixed up", "[repeats]") {
  auto x = conversation{};
  x.call("a", "{}", "1");
  x.call("a", R"({"x":1})", "1");
  x.call("a", R"({"x":"1"})", "1");
  x.call("a", R"({"x":1.5})", "1");
  CHECK(repeated_calls{}.take(x.messages, 0).count == 1);
}
