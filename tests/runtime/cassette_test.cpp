#include "troupe/runtime/model/cassette.hpp"

#include "support/sample_blocks.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/model/cassette_player.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

std::shared_ptr<const cassette> parsed(std::string_view text) {
  auto result = parse_cassette(text, "t.yaml");
  if (!result)
    for (const auto& what : to_faults(result.error()))
      FAIL(render(what));
  return std::make_shared<const cassette>(std::move(*result));
}

std::string refused(std::string_view text) {
  auto result = parse_cassette(text, "t.yaml");
  REQUIRE_FALSE(result);
  auto lines = std::string{};
  for (const auto& what : to_faults(result.error()))
    lines += render(what) + " " + what.hint + "\n";
  return lines;
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

chat_message_ptr message(message_role role, std::string text) {
  auto result = chat_message{};
  result.role = role;
  result.text = std::move(text);
  return chat_message_ptr{std::move(result)};
}

chat_message_ptr tool_result(std::string name, std::string text) {
  auto result = chat_message{};
  result.role = message_role::tool;
  result.tool_name = std::move(name);
  result.text = std::move(text);
  return chat_message_ptr{std::move(result)};
}

model_request request_of(std::vector<chat_message_ptr> messages) {
  auto result = model_request{};
  result.run_id = "r1";
  result.messages = std::move(messages);
  return result;
}

model_request ask(std::string text) {
  return request_of({message(message_role::user, std::move(text))});
}

/// A conversation that has come to the reply with this number, from 0.
model_request at_reply(size_t count) {
  auto messages = std::vector{message(message_role::user, "q")};
  while (count-- > 0)
    messages.push_back(message(message_role::assistant, "a"));
  return request_of(std::move(messages));
}

std::string text_of(const cassette_turn& turn) {
  if (turn.failure)
    FAIL(render(to_fault(turn.failure)));
  auto result = std::string{};
  for (const auto& event : turn.events)
    if (event.kind == model_event_kind::text_delta)
      result += event.text + "|";
  return result;
}

fault failure_of(const cassette_turn& turn) {
  REQUIRE(turn.failure);
  return to_fault(turn.failure);
}

std::string play(std::string_view text, const model_request& request) {
  auto player = cassette_player{parsed(text)};
  return text_of(player.play(request));
}

std::string fail(std::string_view text, const model_request& request) {
  auto player = cassette_player{parsed(text)};
  auto what = failure_of(player.play(request));
  CHECK(what.kind == errc::cassette);
  return render(what);
}

} // namespace

TEST_CASE("a cassette is read in full", "[cassette]") {
  auto tape = parsed(R"(
cassette: 1
model: {images: false, context_window: 8000}
exchanges:
  - expect: {last_user: "how many", last_tool: {name: grep, contains: "TODO"},
             tools: [read_file]}
    reply:
      reasoning: "hm"
      text: "It has."
      tool_calls: [{id: call_1, name: read_file, arguments: {path: notes.txt}}]
      stop: max_tokens
      usage: {input_tokens: 12, output_tokens: 5}
      delay: 20ms
      chunk: 16
      chunk_delay: 2ms
  - error: {kind: rate_limit, status: 429, retry_after: 1s}
  - error: {kind: disconnect, after_chunks: 2}
)");
  CHECK_FALSE(tape->model.images);
  CHECK(tape->model.parallel_tools);
  CHECK(tape->model.context_window == 8000);
  REQUIRE(tape->exchanges.size() == 3);
  const auto& [expect, answer, where] = tape->exchanges[0];
  CHECK(where == "t.yaml:5:5");
  CHECK(expect.last_user == "how many");
  CHECK(expect.tool_name == "grep");
  CHECK(expect.tool_contains == "TODO");
  CHECK(expect.tools == std::vector<std::string>{"read_file"});
  const auto& reply = std::get<cassette_reply>(answer);
  CHECK(reply.text.text() == "It has.");
  CHECK(reply.calls[0].arguments == R"({"path":"notes.txt"})");
  CHECK(reply.stop == stop_reason::max_tokens);
  CHECK(reply.usage->output_tokens == 5);
  CHECK(reply.delay == 20ms);
  CHECK(reply.chunk == 16);
  CHECK(reply.chunk_delay == 2ms);
  const auto& limited = std::get<cassette_failure>(tape->exchanges[1].answer);
  CHECK(limited.kind == errc::rate_limit);
  CHECK(limited.status == 429);
  CHECK(limited.retry_after == 1s);
  const auto& broken = std::get<cassette_failure>(tape->exchanges[2].answer);
  CHECK(broken.kind == errc::network);
  CHECK(broken.after_chunks == 2);
}

TEST_CASE("every fault of a cassette is reported with its place",
          "[cassette]") {
  auto text = refused(R"(cassette: 2
exchanges:
  - repy: {text: a}
  - reply: {text: 5, stop: later}
  - reply: {text: "{{#a}}"}
  - error: {kind: tired}
  - {reply: {text: a}, error: {kind: auth}}
  - reply: {tool_calls: [{arguments: {a: "{{b"}}]}
)");
  CHECK(contains(text, "t.yaml:1:11"));
  CHECK(contains(text, "reply"));
  CHECK(contains(text, "t.yaml:4:"));
  CHECK(contains(text, "end_turn"));
  CHECK(contains(text, "t.yaml:5:"));
  CHECK(contains(text, "rate_limit"));
  CHECK(contains(text, "either a reply or an error"));
  CHECK(contains(text, "name"));
  CHECK(contains(text, "the tag is never closed"));
}

TEST_CASE("what is no cassette is refused", "[cassette]") {
  CHECK(contains(refused(""), "cassette"));
  CHECK(contains(refused("[1"), "t.yaml:"));
  CHECK(contains(refused("exchanges: []"), "cassette"));
  CHECK_FALSE(load_cassette("/nonexistent/t.yaml"));
}

TEST_CASE("a cassette is read from a file and named by it", "[cassette]") {
  auto dir = test::temp_dir{};
  auto path = dir.write("a.yaml", "cassette: 1\nexchanges: []\n");
  auto tape = load_cassette(path);
  REQUIRE(tape);
  CHECK(tape->name == path);
}

TEST_CASE("the reply is chosen by the assistant messages in the request",
          "[cassette]") {
  auto text = R"(
cassette: 1
exchanges:
  - reply: {text: one}
  - reply: {text: two}
)";
  CHECK(play(text, at_reply(0)) == "one|");
  CHECK(play(text, at_reply(1)) == "two|");
  CHECK(contains(fail(text, at_reply(2)), "reply 3"));
  CHECK(contains(fail(text, at_reply(2)), "exchanges 2"));
  CHECK(contains(fail(text, at_reply(9)), "past the end"));
  CHECK(contains(fail("{cassette: 1, exchanges: []}", at_reply(0)),
                 "past the end"));
}

TEST_CASE("a turn has deltas, calls, usage and stop in this order",
          "[cassette]") {
  auto player = cassette_player{parsed(R"(
cassette: 1
exchanges:
  - reply:
      reasoning: think
      text: answer
      tool_calls: [{name: a}, {name: b, arguments: {z: 1, a: [true, null]}}]
      usage: {input_tokens: 1, cached_tokens: 1}
)")};
  auto turn = player.play(at_reply(0));
  REQUIRE(turn.events.size() == 6);
  CHECK(turn.events[0].kind == model_event_kind::reasoning_delta);
  CHECK(turn.events[0].text == "think");
  CHECK(turn.events[1].kind == model_event_kind::text_delta);
  CHECK(turn.events[2].call.id == "call_1_1");
  CHECK(turn.events[2].call.arguments == "{}");
  CHECK(turn.events[3].call.id == "call_1_2");
  CHECK(turn.events[3].call.arguments == R"({"z":1,"a":[true,null]})");
  CHECK(turn.events[4].usage.cached_tokens == 1);
  CHECK(turn.events[5].stop == stop_reason::tool_use);
}

TEST_CASE("a reply without calls ends the turn", "[cassette]") {
  auto player = cassette_player{parsed(R"(
cassette: 1
exchanges: [{reply: {}}]
)")};
  auto turn = player.play(at_reply(0));
  REQUIRE(turn.events.size() == 1);
  CHECK(turn.events[0].kind == model_event_kind::stop);
  CHECK(turn.events[0].stop == stop_reason::end_turn);
}

TEST_CASE("a chunk counts characters, not bytes", "[cassette]") {
  CHECK(play(R"(
cassette: 1
exchanges: [{reply: {text: "grüße €5", chunk: 3}}]
)",
             at_reply(0))
        == "grü|ße |€5|");
}

TEST_CASE("texts see the input, the turn and the tools' results",
          "[cassette]") {
  auto text = R"(
cassette: 1
exchanges:
  - reply: {text: "first"}
  - reply:
      text: "{{input}} {{turn}} {{last_tool.n}} {{tool.grep.n}} {{tool.cat}}"
      tool_calls: [{name: x, arguments: {lines: ["{{last_tool.n}}"], k: 1}}]
)";
  auto player = cassette_player{parsed(text)};
  auto request = request_of(
    {message(message_role::user, "old"), message(message_role::assistant, "a"),
     message(message_role::user, "new"), tool_result("grep", R"({"n":1})"),
     tool_result("cat", "{{input}} & <no json>"),
     tool_result("grep", R"({"n":2})")});
  auto turn = player.play(request);
  CHECK(text_of(turn) == "new 2 2 2 {{input}} & <no json>|");
  CHECK(turn.events[1].call.arguments == R"({"lines":["2"],"k":1})");
}

TEST_CASE("a text that names nothing is a failure with its place",
          "[cassette]") {
  auto text = "{cassette: 1, exchanges: [{reply: {text: '{{last_tol.n}}'}}]}";
  auto why = fail(text, at_reply(0));
  CHECK(contains(why, "'last_tol.n'"));
  CHECK(contains(why, "t.yaml:1:"));
}

TEST_CASE("templates are off where the reply says so", "[cassette]") {
  auto player = cassette_player{parsed(R"(
cassette: 1
exchanges:
  - reply:
      template: false
      text: "{{a}}{{#b"
      tool_calls: [{name: x, arguments: {a: "{{b"}}]
)")};
  auto turn = player.play(at_reply(0));
  CHECK(text_of(turn) == "{{a}}{{#b|");
  CHECK(turn.events[1].call.arguments == R"({"a":"{{b"})");
}

TEST_CASE("a variable of the environment stays text", "[cassette]") {
  CHECK(play("{cassette: 1, exchanges: [{reply: {text: 'echo ${HOME}'}}]}",
             at_reply(0))
        == "echo ${HOME}|");
}

TEST_CASE("arguments may be any text", "[cassette]") {
  auto player = cassette_player{parsed(R"(
cassette: 1
exchanges:
  - reply:
      tool_calls:
        - {name: a, arguments: '{"n": {{turn}}}'}
        - {name: b, arguments: '{"n": '}
        - {name: c, arguments: '[1]'}
)")};
  auto turn = player.play(at_reply(0));
  CHECK(turn.events[0].call.arguments == R"({"n": 1})");
  CHECK(turn.events[0].call.raw.empty());
  CHECK(turn.events[1].call.arguments == "{}");
  CHECK(turn.events[1].call.raw == R"({"n": )");
  CHECK(turn.events[2].call.raw == "[1]");
}

TEST_CASE("an expectation that does not hold shows both sides", "[cassette]") {
  auto user = "{cassette: 1, exchanges: "
              "[{expect: {last_user: many}, reply: {text: a}}]}";
  CHECK(play(user, ask("how many?")) == "a|");
  auto why = fail(user, ask("how much?"));
  CHECK(contains(why, "exchange 1"));
  CHECK(contains(why, "\"many\""));
  CHECK(contains(why, "\"how much?\""));
  CHECK(contains(why, "t.yaml:1:"));
  CHECK(contains(fail(user, request_of({})), "missing"));
  CHECK(fail(user, ask(std::string(100'000, 'x'))).size() < 1000);

  auto tool = "{cassette: 1, exchanges: [{expect: {last_tool: "
              "{name: grep, contains: TODO}}, reply: {text: a}}]}";
  CHECK(play(tool, request_of({tool_result("grep", "\"TODO\"")})) == "a|");
  CHECK(contains(fail(tool, ask("x")), "there is none"));
  CHECK(contains(fail(tool, request_of({tool_result("cat", "\"TODO\"")})),
                 "not from \"cat\""));
  CHECK(contains(fail(tool, request_of({tool_result("grep", "{}")})),
                 "which is \"{}\""));

  auto tools = "{cassette: 1, exchanges: "
               "[{expect: {tools: [b]}, reply: {text: a}}]}";
  auto request = ask("x");
  CHECK(contains(fail(tools, request), "offered: none"));
  request.tools = shared{std::vector{tool_description{"a", "", "{}"}}};
  CHECK(contains(fail(tools, request), "offered: a"));
  request.tools = shared{std::vector{tool_description{"a", "", "{}"},
                                     tool_description{"b", "", "{}"}}};
  CHECK(play(tools, request) == "a|");
}

TEST_CASE("a cassette expects attachments by what is said of them",
          "[cassette]") {
  auto play = [](const std::string& expected, content_block block) {
    auto tape = parsed("cassette: 1\nmodel: {documents: false}\nexchanges:\n"
                       "  - expect: {attachments: ["
                       + expected + "]}\n    reply: {text: x}\n");
    CHECK_FALSE(tape->model.documents);
    auto user = chat_message{};
    user.blocks = {test::pdf_block(), std::move(block)};
    auto why = cassette_player{tape}
                 .play(request_of({chat_message_ptr{std::move(user)}}))
                 .failure;
    return why ? to_fault(why).message : std::string{};
  };
  auto image = test::image_block();
  CHECK(play("{}, {name: dot.png}", image).empty());
  CHECK(play("{media_type: image/png}", image).empty());
  CHECK(play("{size: " + std::to_string(image.size) + "}", image).empty());
  CHECK(play("{digest: " + image.digest + "}", image).empty());
  CHECK(contains(play("{name: a.png, media_type: image/gif}", image),
                 "expected the attachment \"a.png\" image/gif"));
  CHECK_FALSE(play("{size: 1}", image).empty());
  CHECK_FALSE(play("{name: dot.png, size: 1}", image).empty());
  CHECK(contains(refused("cassette: 1\nexchanges:\n  - expect: {attachments: "
                         "[{type: x}]}\n    reply: {text: x}\n"),
                 "type"));
}

TEST_CASE("each error before a reply is played once in a run", "[cassette]") {
  auto player = cassette_player{parsed(R"(
cassette: 1
exchanges:
  - error: {kind: rate_limit, status: 429, retry_after: 1s}
  - error: {kind: auth, message: "no"}
  - reply: {text: one}
  - error: {kind: overloaded}
  - reply: {text: two}
  - error: {kind: timeout}
)")};
  auto first = failure_of(player.play(at_reply(0)));
  CHECK(first.kind == errc::rate_limit);
  CHECK(first.status == 429);
  CHECK(first.retry_after == 1s);
  CHECK(first.retryable);
  auto second = failure_of(player.play(at_reply(0)));
  CHECK(second.kind == errc::auth);
  CHECK(second.message == "no");
  CHECK_FALSE(second.retryable);
  CHECK(text_of(player.play(at_reply(0))) == "one|");
  CHECK(text_of(player.play(at_reply(0))) == "one|");
  CHECK(failure_of(player.play(at_reply(1))).kind == errc::overloaded);
  CHECK(text_of(player.play(at_reply(1))) == "two|");
  CHECK(failure_of(player.play(at_reply(2))).kind == errc::timeout);
  CHECK(failure_of(player.play(at_reply(2))).kind == errc::cassette);

  auto other = at_reply(0);
  other.run_id = "r2";
  CHECK(failure_of(player.play(other)).kind == errc::rate_limit);
  player.forget("r1");
  CHECK(failure_of(player.play(at_reply(0))).kind == errc::rate_limit);
  CHECK(failure_of(player.play(other)).kind == errc::auth);
}

TEST_CASE("a connection breaks after the pieces that were sent", "[cassette]") {
  auto player = cassette_player{parsed(R"(
cassette: 1
exchanges:
  - error: {kind: disconnect}
  - error: {kind: disconnect, after_chunks: 2}
  - error: {kind: disconnect, after_chunks: 9}
  - reply: {text: abcdef, chunk: 2, tool_calls: [{name: a}], delay: 5ms}
)")};
  auto turn = player.play(at_reply(0));
  CHECK(turn.events.empty());
  CHECK(failure_of(turn).kind == errc::network);
  CHECK(failure_of(turn).retryable);
  turn = player.play(at_reply(0));
  REQUIRE(turn.events.size() == 2);
  CHECK(turn.events[1].text == "cd");
  CHECK(turn.delay == 5ms);
  CHECK(failure_of(turn).kind == errc::network);
  CHECK_FALSE(failure_of(turn).retryable);
  turn = player.play(at_reply(0));
  CHECK(turn.events.size() == 3);
  CHECK(failure_of(turn).kind == errc::network);
  CHECK(text_of(player.play(at_reply(0))) == "ab|cd|ef|");
}

TEST_CASE("a player does not remember runs without end", "[cassette]") {
  auto player = cassette_player{
    parsed("{cassette: 1, exchanges: [{error: {kind: auth}}, {reply: {}}]}")};
  auto request = at_reply(0);
  CHECK(player.play(request).failure);
  CHECK_FALSE(player.play(request).failure);
  for (auto i = 0; i < 10'000; ++i) {
    request.run_id = std::to_string(i);
    player.play(request);
  }
  CHECK(player.play(at_reply(0)).failure);
}
