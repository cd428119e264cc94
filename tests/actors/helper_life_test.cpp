#include "troupe/actors/troupe.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include "caf/send.hpp"

#include "actors/scripted_model.hpp"
#include <nlohmann/json.hpp>

#include <memory>

using namespace troupe;
using test::calls;
using test::says;

namespace {

/// "kill" ends the actor that asks; "lead" starts one of the kind "one", waits
/// for it and says what it was told; "stay" never answers.
model_actor::behavior_type lethal_model(model_actor::pointer self) {
  return {
    [self](const model_request& x) -> caf::result<model_batch> {
      const auto& last = *x.messages.back();
      if (x.model == "kill")
        caf::anon_send_exit(self->current_sender(), caf::exit_reason::kill);
      if (x.model != "lead")
        return self->make_response_promise<model_batch>();
      if (last.role != message_role::tool)
        return calls("subagent_spawn", R"({"kind":"one","task":"t"})");
      if (last.tool_name == "subagent_spawn")
        return calls("subagent_wait", R"({"ids":["one-1"]})");
      return says(last.text);
    },
    [](co::cancel_request) {},
  };
}

class stage {
public:
  explicit stage(const std::string& child) {
    auto one = agent{"one"};
    one.model("local:" + child);
    auto lead = agent{"lead"};
    lead.model("local:lead").subagent("one", one);
    auto options = runtime_options{};
    options.settings.storage.in_memory = true;
    options.models["local"] = live_.system().spawn(lethal_model);
    options.agents = {lead};
    host_ = std::make_unique<runtime>(live_.system(), std::move(options));
  }

  runtime& host() {
    return *host_;
  }

private:
  test::live_system live_;
  std::unique_ptr<runtime> host_;
};

} // namespace

TEST_CASE("a child whose actor is killed answers its parent", "[helpers]") {
  auto x = stage{"kill"};
  auto run = x.host().ask("lead", "Q");
  REQUIRE(run.status == run_status::completed);
  auto told = parse_json(run.response);
  REQUIRE(told);
  CHECK((*told)["results"][0]["status"] == "failed");
  REQUIRE(run.steps.size() == 2);
  CHECK(run.steps[1].status == run_status::failed);
}

TEST_CASE("a parent that is cancelled takes its children along", "[helpers]") {
  auto x = stage{"stay"};
  auto request = run_request{};
  request.agent = "lead";
  request.input = "Q";
  auto run = x.host().stream(request);
  while (auto event = run.next())
    if (event->source && event->type == event_type::message_start)
      break; // the child waits for its model
  run.cancel("enough");
  auto object = run.wait();
  CHECK(object.status == run_status::cancelled);
  REQUIRE(object.steps.size() == 2);
  CHECK(object.steps[1].status == run_status::cancelled);
}
