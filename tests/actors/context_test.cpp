#include "support/catch.hpp"

#include "troupe/runtime/model/message_record.hpp"

#include "caf/send.hpp"

#include "actors/agent_bench.hpp"
#include "actors/scripted_model.hpp"

#include <atomic>
#include <memory>

using namespace troupe;
using namespace troupe::test;

namespace {

// The window of the application's models has 200,000 tokens.
constexpr auto nearly_full = uint64_t{175'000};

caf::error too_long() {
  return make_error(errc::context_length, "the request is too long");
}

co::task<std::string> at_once(tool_context, nothing) {
  co_return std::string{"\"acted\""};
}

std::string shape_of_history(std::vector<chat_message_ptr> messages) {
  auto request = model_request{};
  request.messages = std::move(messages);
  return shape(request);
}

/// Two runs: the first has a long prompt, and in the second the window is
/// nearly full after its tool call.
struct talk : scripted_host {
  talk() {
    calc.use(make_tool("add", "Adds.", add));
    told->main = [](const model_request& x,
                    size_t number) -> caf::expected<model_batch> {
      if (number == 2)
        return calls("add", R"({"a":2,"b":3})", nearly_full);
      return says("answer " + std::to_string(number) + " to "
                  + shape(x).substr(0, 1));
    };
    told->summarizer = [](const model_request&,
                          size_t) -> caf::expected<model_batch> {
      return says("They talked.", 100);
    };
  }

  run_object second() {
    REQUIRE(ask(first_prompt).status == run_status::completed);
    return ask("second");
  }

  const std::string first_prompt = std::string(4000, 'x') + " first";
};

} // namespace

TEST_CASE("the oldest groups are summarised when the window is nearly full",
          "[context]") {
  talk talk;
  auto run = talk.second();
  CHECK(run.status == run_status::completed);
  auto asked = talk.told->requests_to("main");
  REQUIRE(asked.size() == 3);
  CHECK(shape(asked[1]) == "suau");
  CHECK(shape(asked[2]) == "sSauct");
  CHECK(summary_text(*asked[2].messages[1]) == "They talked.");
  auto summaries = talk.told->requests_to("short");
  REQUIRE(summaries.size() == 1);
  CHECK(shape(summaries[0]) == "su");
  CHECK(summaries[0].messages[1]->text.find(talk.first_prompt)
        != std::string::npos);
  CHECK(summaries[0].messages[1]->text.find("second") == std::string::npos);
  CHECK(summaries[0].tools->empty());
  CHECK(run.usage.model_requests == 3);
  CHECK(run.usage.tokens.input_tokens == nearly_full + 100 + 1);
}

TEST_CASE("the log keeps everything, and later runs start from the summary",
          "[context]") {
  talk talk;
  talk.second();
  auto in_memory = GENERATE(true, false);
  auto& host = in_memory ? talk.host() : talk.start();
  talk.ask("third");
  auto asked = talk.told->requests_to("main");
  REQUIRE(asked.size() == 4);
  CHECK(shape(asked[3]) == "sSauctau");
  CHECK(summary_text(*asked[3].messages[1]) == "They talked.");
  auto stored = host.sessions("s");
  REQUIRE(stored);
  CHECK(stored->front().messages == 8);
  CHECK(stored->front().last_summary > 0);
  CHECK(talk.told->requests_to("short").size() == 1);
}

TEST_CASE("without a summarizer the oldest groups are dropped", "[context]") {
  talk talk;
  talk.options.settings.models.clear();
  CHECK(talk.second().status == run_status::completed);
  CHECK(shape(talk.told->requests_to("main")[2]) == "suct");
  talk.start();
  talk.ask("third");
  CHECK(shape(talk.told->requests_to("main")[3]) == "suctau");
}

TEST_CASE("a summary that fails keeps the history, and the run goes on",
          "[context]") {
  talk talk;
  auto how = GENERATE(0, 1, 2, 3);
  talk.told->summarizer = [how](const model_request&,
                                size_t) -> caf::expected<model_batch> {
    if (how == 0)
      return make_error(errc::overloaded, "later");
    if (how == 1)
      return says(" \n");
    if (how == 2)
      return model_batch{{stop_event(stop_reason::refusal)}, {}};
    return model_batch{}; // without an end
  };
  CHECK(talk.second().status == run_status::completed);
  auto asked = talk.told->requests_to("main");
  REQUIRE(asked.size() == 3);
  CHECK(shape(asked[2]) == "suauct");
  CHECK(talk.host().sessions("s")->front().last_summary == 0);
  CHECK(shape_of_history(talk.messages()) == "uaucta");
}

TEST_CASE("a summarizer that does not exist keeps the history", "[context]") {
  talk talk;
  talk.options.settings.models["summarizer"].target = "cassette:no such file";
  CHECK(talk.second().status == run_status::completed);
  CHECK(shape(talk.told->requests_to("main")[2]) == "suauct");
}

TEST_CASE("a failed summary is not asked for again at once", "[context]") {
  talk talk;
  talk.told->summarizer = [](const model_request&,
                             size_t) -> caf::expected<model_batch> {
    return too_long();
  };
  talk.told->main = [](const model_request&,
                       size_t number) -> caf::expected<model_batch> {
    if (number == 1 || number == 9)
      return says("done");
    auto n = std::to_string(number); // the same call again would be a loop
    return calls("add", R"({"b":3,"a":)" + n + "}", nearly_full + number);
  };
  CHECK(talk.second().status == run_status::completed);
  CHECK(talk.told->requests_to("main").size() == 9);
  CHECK(talk.told->requests_to("short").size() == 1);
}

TEST_CASE("a provider that finds the request too long gets a shorter one",
          "[context]") {
  talk talk;
  talk.told->main = [](const model_request&,
                       size_t number) -> caf::expected<model_batch> {
    if (number == 2)
      return too_long();
    return says("answer");
  };
  CHECK(talk.second().status == run_status::completed);
  auto asked = talk.told->requests_to("main");
  REQUIRE(asked.size() == 3);
  CHECK(shape(asked[1]) == "suau");
  CHECK(shape(asked[2]) == "sSau");
}

TEST_CASE("a request is made shorter once in a turn", "[context]") {
  talk talk;
  talk.told->main = [](const model_request&,
                       size_t number) -> caf::expected<model_batch> {
    if (number >= 2)
      return too_long();
    return says("answer");
  };
  auto run = talk.second();
  CHECK(run.status == run_status::failed);
  CHECK(run.error.kind == errc::context_length);
  CHECK(talk.told->requests_to("main").size() == 3);
  CHECK(talk.told->requests_to("short").size() == 1);
}

TEST_CASE("a request that cannot be shorter fails as it was refused",
          "[context]") {
  talk talk;
  talk.told->main = [](const model_request&,
                       size_t) -> caf::expected<model_batch> {
    return too_long();
  };
  auto run = talk.ask("only this");
  CHECK(run.status == run_status::failed);
  CHECK(run.error.kind == errc::context_length);
  CHECK(talk.told->requests_to("main").size() == 1);
  CHECK(talk.told->requests_to("short").empty());
}

TEST_CASE("a run can be ended while its conversation is summarised",
          "[context]") {
  talk talk;
  talk.told->summarizer = nullptr;
  talk.ask(talk.first_prompt);
  auto request = talk.request("second");
  auto by_deadline = GENERATE(false, true);
  if (by_deadline)
    request.deadline = 2s;
  auto run = talk.host().start(request);
  REQUIRE(eventually([&] { return !talk.told->requests_to("short").empty(); }));
  if (!by_deadline)
    run.cancel("enough");
  auto object = run.wait();
  CHECK(object.status
        == (by_deadline ? run_status::partial : run_status::cancelled));
  CHECK(shape_of_history(talk.messages()) == "uauct");
  CHECK(talk.host().sessions("s")->front().last_summary == 0);
}

TEST_CASE("a run that crashed behind its summary resumes from it",
          "[context]") {
  talk talk;
  auto spec = tool_spec{};
  spec.name = "act";
  spec.recovery = recovery_class::idempotent;
  auto crashes = std::make_shared<std::atomic<int>>(1);
  talk.calc.use(
    tool{std::move(spec),
         tool::coroutine{[crashes](tool_context context, std::string) {
           return crashes->fetch_sub(1) > 0 ? sleep_long(context, {})
                                            : at_once(context, {});
         }}});
  talk.told->main = [](const model_request&,
                       size_t number) -> caf::expected<model_batch> {
    if (number == 2)
      return calls("add", R"({"a":2,"b":3})", nearly_full);
    if (number == 3)
      return calls("act");
    return says("answer " + std::to_string(number));
  };
  talk.ask(talk.first_prompt);
  auto run = talk.host().start(talk.request("second"));
  auto id = run.run_id();
  REQUIRE(eventually([&] { return crashes->load() == 0; }));
  caf::anon_send_exit(run.actor(), caf::exit_reason::kill);
  REQUIRE(eventually([&] {
    auto found = talk.host().find_run(id);
    return found && *found && (*found)->status == run_status::interrupted;
  }));
  auto order = resume_run{};
  order.run_id = id;
  auto object = talk.host().resume(order).wait();
  CHECK(object.status == run_status::completed);
  CHECK(object.response == "answer 4");
  CHECK(object.usage.model_requests == 4); // the summary is one of them
  CHECK(shape(talk.told->requests_to("main")[3]) == "sSauctct");
  CHECK(talk.told->requests_to("short").size() == 1);
  // Events name records of the log; a summary is one, too.
  auto events = talk.host().run_events(id);
  REQUIRE(events);
  auto texts = std::string{};
  for (const auto& event : *events)
    if (event.type == event_type::tool_result
        || event.type == event_type::tool_call)
      texts += event.call->name + ' ';
    else if (event.type == event_type::message_stop)
      texts += event.text + ". ";
  CHECK(texts == "add . add act . act answer 4. ");
}
