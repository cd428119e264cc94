#include "troupe/runtime/model/cassette_writer.hpp"

#include "support/sample_blocks.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/model/cassette_player.hpp"

#include <filesystem>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

chat_message_ptr message(message_role role, std::string text) {
  auto result = chat_message{};
  result.role = role;
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

model_event text(std::string x) {
  auto result = model_event{};
  result.text = std::move(x);
  return result;
}

model_event reasoning(std::string x) {
  auto result = text(std::move(x));
  result.kind = model_event_kind::reasoning_delta;
  return result;
}

model_event call(std::string id, std::string name, std::string arguments,
                 std::string raw = {}) {
  auto result = model_event{};
  result.kind = model_event_kind::tool_call;
  result.call = tool_call{std::move(id), std::move(name), std::move(arguments),
                          std::move(raw)};
  return result;
}

model_event usage(uint64_t in, uint64_t out) {
  auto result = model_event{};
  result.kind = model_event_kind::usage;
  result.usage = token_usage{in, out, 0};
  return result;
}

model_event stop(stop_reason reason) {
  auto result = model_event{};
  result.kind = model_event_kind::stop;
  result.stop = reason;
  return result;
}

/// All of an event that a reader of the stream can tell.
std::string to_text(const model_event& x) {
  return std::to_string(static_cast<int>(x.kind)) + "/" + x.text + "/"
         + x.call.id + "/" + x.call.name + "/" + x.call.arguments + "/"
         + x.call.raw + "/" + std::to_string(x.usage.input_tokens) + "/"
         + std::to_string(x.usage.output_tokens) + "/"
         + std::to_string(static_cast<int>(x.stop));
}

std::vector<std::string> listed(const std::vector<model_event>& events) {
  auto result = std::vector<std::string>{};
  for (const auto& event : events)
    result.push_back(to_text(event));
  return result;
}

struct recording {
  test::temp_dir dir;
  std::string path = (dir.path() / "r.yaml").string();

  cassette_player player() const {
    auto tape = load_cassette(path);
    if (!tape)
      FAIL(render(to_fault(tape.error())) << "\n" << dir.read("r.yaml"));
    return cassette_player{std::make_shared<const cassette>(std::move(*tape))};
  }
};

} // namespace

TEST_CASE("a recorded turn plays the same events", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  auto events = std::vector{
    reasoning("first\n\nthen\t\"that\"\\"),
    text("üß € 😀 \x01 \x7f \xC2\x85 \xE2\x80\xA8 ${HOME} # : - {{x}} {{#y"),
    call("c1", "read_file", R"({"path":"a b","n":[1,null,true],"s":"{{x}}"})"),
    call("c2", "odd", R"({ "x" : 1.50 })"),
    call("c3", "bad", "{}", "{\"x\": "),
    call("c4", "typed", R"({"yes":"no","null":"~","1":"1","d":{"":""}})"),
    usage(12, 5),
    stop(stop_reason::tool_use)};
  REQUIRE_FALSE(writer.add(ask("how many\nlines?"), events));
  auto turn = out.player().play(ask("how many\nlines?"));
  CHECK_FALSE(turn.failure);
  CHECK(listed(turn.events) == listed(events));
}

TEST_CASE("deltas are recorded as one text", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  REQUIRE_FALSE(
    writer.add(ask("q"), {text("a"), text("b"), stop(stop_reason::refusal)}));
  auto turn = out.player().play(ask("q"));
  CHECK(listed(turn.events)
        == listed({text("ab"), stop(stop_reason::refusal)}));
}

TEST_CASE("an empty turn is recorded too", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  REQUIRE_FALSE(writer.add(ask(""), {stop(stop_reason::end_turn)}));
  auto turn = out.player().play(ask(""));
  CHECK(listed(turn.events) == listed({stop(stop_reason::end_turn)}));
}

TEST_CASE("a recording expects the user's words", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  REQUIRE_FALSE(writer.add(ask("how many?"), {stop(stop_reason::end_turn)}));
  CHECK_FALSE(out.player().play(ask("how many?")).failure);
  CHECK(out.player().play(ask("something else")).failure);
}

TEST_CASE("a recording names what was attached, without its bytes",
          "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {secret{"hunter2hunter2"}}};
  auto with = [](content_block block) {
    auto message = chat_message{};
    message.blocks = {std::move(block)};
    return request_of({chat_message_ptr{std::move(message)}});
  };
  auto block = test::text_block("the bytes of it");
  REQUIRE_FALSE(writer.add(with(block), {stop(stop_reason::end_turn)}));
  auto text = out.dir.read("r.yaml");
  CHECK(text.find("the bytes") == std::string::npos);
  CHECK(text.find(block.digest) != std::string::npos);
  CHECK_FALSE(out.player().play(with(block)).failure);
  CHECK(out.player().play(with(test::text_block("others"))).failure);
  CHECK(out.player().play(ask("")).failure);
  block.name = "hunter2hunter2";
  auto other = cassette_writer{out.path, {secret{"hunter2hunter2"}}};
  REQUIRE_FALSE(other.add(with(block), {stop(stop_reason::end_turn)}));
  CHECK(out.dir.read("r.yaml").find("hunter2") == std::string::npos);
  CHECK_FALSE(out.player().play(with(block)).failure);
}

TEST_CASE("the file is whole after each exchange", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  auto later = request_of({message(message_role::user, "q"),
                           message(message_role::assistant, "one"),
                           message(message_role::user, "r")});
  REQUIRE_FALSE(
    writer.add(ask("q"), {text("one"), stop(stop_reason::end_turn)}));
  CHECK(out.player().play(ask("q")).events.size() == 2);
  REQUIRE_FALSE(writer.add(later, {text("two"), stop(stop_reason::end_turn)}));
  CHECK(out.player().play(later).events[0].text == "two");
  auto files = std::filesystem::directory_iterator{out.dir.path()};
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("what a conversation held before is written first",
          "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  auto later = request_of({message(message_role::user, "q"),
                           message(message_role::assistant, "one"),
                           message(message_role::user, "r")});
  REQUIRE_FALSE(writer.add(later, {text("two"), stop(stop_reason::end_turn)}));
  auto player = out.player();
  CHECK(player.play(ask("q")).events[0].text == "one");
  CHECK(player.play(later).events[0].text == "two");
}

TEST_CASE("a request of another conversation is refused", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  REQUIRE_FALSE(writer.add(ask("q"), {stop(stop_reason::end_turn)}));
  auto why = writer.add(ask("x"), {stop(stop_reason::end_turn)});
  CHECK(why == errc::cassette);
}

TEST_CASE("errors are recorded and played once", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  auto what = fault{};
  what.kind = errc::rate_limit;
  what.message = "slow: \"down\"";
  what.status = 429;
  what.retry_after = 1500ms;
  REQUIRE_FALSE(writer.add(ask("q"), {}, make_error(what)));
  REQUIRE_FALSE(
    writer.add(ask("q"), {text("ab")}, make_error(errc::network, "broke")));
  REQUIRE_FALSE(writer.add(ask("q"), {text("abc"), text("d"),
                                      stop(stop_reason::end_turn)}));
  auto player = out.player();
  auto first = to_fault(player.play(ask("q")).failure);
  CHECK(first.kind == errc::rate_limit);
  CHECK(first.message == what.message);
  CHECK(first.status == 429);
  CHECK(first.retry_after == 1500ms);
  auto second = player.play(ask("q"));
  CHECK(second.failure == errc::network);
  CHECK(second.events.size() == 1);
  CHECK(player.play(ask("q")).events[0].text == "abcd");
}

TEST_CASE("a retry in the stream becomes an error before the reply",
          "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  auto retry = model_event{};
  retry.kind = model_event_kind::retry;
  retry.text = "busy";
  retry.error_kind = static_cast<uint8_t>(errc::overloaded);
  retry.status = 503;
  REQUIRE_FALSE(
    writer.add(ask("q"), {retry, text("a"), stop(stop_reason::end_turn)}));
  auto player = out.player();
  auto failed = player.play(ask("q")).failure;
  CHECK(failed == errc::overloaded);
  CHECK(to_fault(failed).status == 503);
  CHECK(player.play(ask("q")).events[0].text == "a");
}

TEST_CASE("a cancel leaves no trace", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  CHECK_FALSE(
    writer.add(ask("q"), {text("a")}, make_error(errc::cancelled, "x")));
  CHECK_FALSE(std::filesystem::exists(out.path));
}

TEST_CASE("credentials never reach the file", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {secret{"hunter22"}}};
  auto request = ask("use hunter22 please");
  REQUIRE_FALSE(
    writer.add(request, {}, make_error(errc::auth, "bad sk-abcdef123456")));
  REQUIRE_FALSE(writer.add(
    request,
    {reasoning("Authorization: Bearer abc.def-ghi"), text("is hunter22"),
     call("c", "shell", R"({"command":"login hunter22"})"),
     call("d", "shell", "{}", "hunter22"), stop(stop_reason::tool_use)}));
  auto file = out.dir.read("r.yaml");
  for (auto leak : {"hunter22", "abcdef123456", "abc.def-ghi"})
    CHECK(file.find(leak) == std::string::npos);
  auto player = out.player();
  CHECK(player.play(request).failure == errc::auth);
  CHECK_FALSE(player.play(request).failure);
}

TEST_CASE("words that only look like keys stay", "[cassette_writer]") {
  auto out = recording{};
  auto writer = cassette_writer{out.path, {}};
  REQUIRE_FALSE(writer.add(ask("q"), {text("risk-assessment task-management"),
                                      stop(stop_reason::end_turn)}));
  CHECK(out.player().play(ask("q")).events[0].text
        == "risk-assessment task-management");
}

TEST_CASE("a file that cannot be written is an error", "[cassette_writer]") {
  auto writer = cassette_writer{"/nonexistent/folder/r.yaml", {}};
  auto why = writer.add(ask("q"), {stop(stop_reason::end_turn)});
  CHECK(why == errc::configuration);
}
