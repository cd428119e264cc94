#include "support/catch.hpp"

#include "actors/agent_bench.hpp"
#include "actors/scripted_model.hpp"

#include <optional>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::test;

namespace {

struct verdict {
  bool ok = false;
  std::optional<std::string> why;
};

BOOST_DESCRIBE_STRUCT(verdict, (), (ok, why))

constexpr auto no_native = "model: {native_structured_output: false}\n";

std::string says_text(const std::string& text) {
  return "  - reply: {text: '" + text + "'}\n";
}

std::string gives(const std::string& arguments) {
  return "  - reply: {tool_calls: [{name: final_result, arguments: " + arguments
         + "}]}\n";
}

/// Roles in short, a call as c.
std::string shape_of(const std::vector<chat_message_ptr>& messages) {
  auto result = std::string{};
  for (const auto& one : messages)
    result += one->calls.empty() ? "suat"[static_cast<size_t>(one->role)] : 'c';
  return result;
}

bool is_refused(const run_object& run, const std::string& part) {
  INFO(run.error.message);
  CHECK(run.status == run_status::failed);
  CHECK(run.error.kind == errc::structured_result);
  CHECK(run.output_json.empty());
  return run.error.message.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a struct is the result of a model that answers in its form",
          "[result]") {
  bench bench{"exchanges:\n" + says_text(R"({"ok": true, "why": "so"})")};
  bench.calc().result<verdict>();
  auto run = bench.ask("well?");
  CHECK(run.status == run_status::completed);
  CHECK(run.response == run.output_json);
  auto found = result_of<verdict>(run);
  REQUIRE(found);
  CHECK(found->ok);
  CHECK(found->why == "so");
  CHECK(shape_of(bench.messages()) == "ua");
}

TEST_CASE("a struct is the result of a model that calls a tool with it",
          "[result]") {
  bench bench{std::string{no_native} + "exchanges:\n" + gives("{ok: true}")};
  bench.calc().result<verdict>();
  auto run = bench.ask("well?");
  CHECK(run.status == run_status::completed);
  CHECK(run.response == R"({"ok":true})");
  auto found = result_of<verdict>(run);
  REQUIRE(found);
  CHECK(found->ok);
  CHECK_FALSE(found->why);
  check_pairing(bench.messages());
  auto events = bench.host().run_events(run.run_id);
  REQUIRE(events);
  CHECK(events->back().text == run.response); // no message has it
}

TEST_CASE("who reads a run sees the result of a call, too", "[result]") {
  bench bench{std::string{no_native} + "exchanges:\n" + gives("{ok: true}")};
  bench.calc().result<verdict>();
  auto request = run_request{};
  request.agent = "calc";
  request.input = "well?";
  request.with_events = true;
  auto run = bench.start().start(request);
  auto text = std::string{};
  for (const auto& event : read_all(run))
    if (event.type == event_type::text_delta)
      text += event.text;
  CHECK(text == R"({"ok":true})");
}

TEST_CASE("a model is told once what is wrong with its result", "[result]") {
  auto wrong = says_text(R"({"ok": "yes"})");
  SECTION("and mends it") {
    bench bench{"exchanges:\n" + wrong + says_text(R"({"ok": true})")};
    bench.calc().result<verdict>();
    auto run = bench.ask("well?");
    CHECK(run.status == run_status::completed);
    CHECK(run.output_json == R"({"ok":true})");
    auto messages = bench.messages();
    CHECK(shape_of(messages) == "uaua");
    CHECK(messages[2]->text.find("/ok: ") != std::string::npos);
    CHECK_FALSE(messages[2]->temporary);
  }
  SECTION("or the run fails") {
    bench bench{"exchanges:\n" + wrong + wrong + says_text("{}")};
    bench.calc().result<verdict>();
    CHECK(is_refused(bench.ask("well?"), "/ok: "));
    CHECK(shape_of(bench.messages()) == "uaua");
  }
  SECTION("in each run") {
    bench bench{"exchanges:\n" + wrong + says_text(R"({"ok": true})") + wrong
                + says_text(R"({"ok": false})")};
    bench.calc().result<verdict>();
    bench.ask("well?");
    CHECK(bench.ask("and now?").output_json == R"({"ok":false})");
  }
}

TEST_CASE("a model that has to call the tool is told once, too", "[result]") {
  auto begin = std::string{no_native} + "exchanges:\n";
  SECTION("of wrong arguments") {
    bench bench{begin + gives("{ok: 1}") + gives("{ok: true}")};
    bench.calc().result<verdict>();
    CHECK(bench.ask("well?").status == run_status::completed);
    CHECK(shape_of(bench.messages()) == "uctuct");
    check_pairing(bench.messages());
  }
  SECTION("of an answer in text, whatever it says") {
    bench bench{begin + says_text(R"({"ok": true})") + gives("{ok: true}")};
    bench.calc().result<verdict>();
    CHECK(bench.ask("well?").status == run_status::completed);
    auto messages = bench.messages();
    CHECK(shape_of(messages) == "uauct");
    CHECK(messages[2]->text.find("final_result") != std::string::npos);
  }
  SECTION("and no second time") {
    bench bench{begin + says_text("It is.") + gives("{}")
                + gives("{ok: true}")};
    bench.calc().result<verdict>();
    CHECK(is_refused(bench.ask("well?"), "ok"));
    check_pairing(bench.messages());
  }
}

TEST_CASE("other calls of the turn that gives the result are run", "[result]") {
  bench bench{std::string{no_native} + R"(
exchanges:
  - reply: {tool_calls: [{name: final_result, arguments: {ok: true}}, {name: add, arguments: {a: 1, b: 2}}]}
)"};
  bench.calc().result<verdict>();
  CHECK(bench.ask("well?").output_json == R"({"ok":true})");
  auto messages = bench.messages();
  CHECK(shape_of(messages) == "uctt");
  CHECK(messages.back()->text == "3.0");
}

TEST_CASE("the way to a result can be fixed", "[result]") {
  SECTION("to the tool") {
    bench bench{"exchanges:\n" + gives("{ok: true}")};
    bench.calc().result<verdict>().result_strategy(result_strategy::tool);
    CHECK(bench.ask("well?").status == run_status::completed);
  }
  SECTION("to what the model can do by itself") {
    bench bench{std::string{no_native} + "exchanges:\n" + says_text("{}")};
    bench.calc().result<verdict>().result_strategy(result_strategy::native);
    auto run = bench.ask("well?");
    CHECK(run.status == run_status::failed);
    CHECK(run.error.kind == errc::configuration);
    CHECK(run.usage.model_requests == 0);
  }
}

TEST_CASE("a model is asked for the form of the result where it knows one",
          "[result]") {
  scripted_host world;
  world.told->main = [](const model_request&, size_t) {
    return says(R"({"ok":true})");
  };
  world.calc.result<verdict>();
  CHECK(world.ask("well?").status == run_status::completed);
  auto asked = world.told->requests_to("main");
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].result_schema == schema_of<verdict>());
  CHECK(asked[0].tools->empty());
}

TEST_CASE("an answer that was cut off is not mended", "[result]") {
  bench bench{"exchanges:\n  - reply: {text: '{\"ok\"', stop: max_tokens}\n"
              + says_text(R"({"ok":true})")};
  bench.calc().result<verdict>();
  auto run = bench.ask("well?");
  CHECK(run.error.kind == errc::limit);
  CHECK(run.usage.model_requests == 1);
}

TEST_CASE("a tool with the name of that for results is refused", "[result]") {
  bench bench{"exchanges:\n" + says_text("{}")};
  bench.calc().result<verdict>().use(make_tool("final_result", "Adds.", add));
  CHECK_THROWS_WITH(bench.start(), Catch::Contains("final_result"));
}

TEST_CASE("a run without a result has none to read", "[result]") {
  bench bench{"exchanges:\n" + says_text("Hello.")};
  auto found = result_of<verdict>(bench.ask("hello"));
  REQUIRE_FALSE(found);
  CHECK(to_fault(found.error()).kind == errc::structured_result);
}

TEST_CASE("a model is not told a second time because its process went",
          "[result]") {
  scripted_host world;
  world.told->main = [](const model_request&, size_t) {
    return says(R"({"ok": "perhaps"})");
  };
  world.calc.result<verdict>();
  auto run = world.crash_at(2);
  auto order = resume_run{};
  order.run_id = run;
  CHECK(is_refused(world.host().resume(order).wait(), "/ok: "));
  CHECK(world.told->requests_to("main").size() == 3);
  CHECK(shape_of(world.messages()) == "uaua");
}
