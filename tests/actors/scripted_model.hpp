#pragma once

#include "support/catch.hpp"
#include "support/live_system.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

#include "troupe/actors/troupe.hpp"
#include "troupe/runtime/model/message_record.hpp"

#include "caf/send.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

/// What models were asked, and what they answer. "local:main" and
/// "local:short" are two of them.
class script {
public:
  using answerer = std::function<caf::expected<model_batch>(
    const model_request& request, size_t number)>;

  /// Answers the request of `number` (from 1) to the model of that name; no
  /// function: it never answers.
  answerer main;
  answerer summarizer;

  /// The request of that number to the model is never answered; 0: all are.
  std::atomic<size_t> silent_at = 0;

  std::vector<model_request> requests_to(const std::string& model) {
    auto lock = std::lock_guard{mutex_};
    auto result = std::vector<model_request>{};
    for (const auto& one : requests_)
      if (one.model == model)
        result.push_back(one);
    return result;
  }

  /// Null where there is no answer.
  const answerer* take(const model_request& request, size_t& number) {
    auto lock = std::lock_guard{mutex_};
    requests_.push_back(request);
    number = 0;
    for (const auto& one : requests_)
      number += one.model == request.model ? 1 : 0;
    auto is_short = request.model == "short";
    if (!is_short && number == silent_at)
      return nullptr;
    auto& chosen = is_short ? summarizer : main;
    return chosen ? &chosen : nullptr;
  }

private:
  std::mutex mutex_;
  std::vector<model_request> requests_;
};

struct scripted_model_state {
  std::vector<caf::typed_response_promise<model_batch>> unanswered;
};

inline model_actor::behavior_type
scripted_model(model_actor::stateful_pointer<scripted_model_state> self,
               std::shared_ptr<script> script) {
  return {
    [self, script](const model_request& x) -> caf::result<model_batch> {
      auto number = size_t{0};
      const auto* answer = script->take(x, number);
      if (answer == nullptr) {
        auto promise = self->make_response_promise<model_batch>();
        self->state.unanswered.push_back(promise);
        return promise;
      }
      auto batch = (*answer)(x, number);
      if (!batch)
        return std::move(batch.error());
      return std::move(*batch);
    },
    [self](co::cancel_request) {
      // An open promise would keep its run alive, and that this model.
      for (auto& promise : self->state.unanswered)
        promise.deliver(make_error(errc::cancelled, "nobody waits"));
      self->state.unanswered.clear();
    },
  };
}

inline model_event stop_event(stop_reason why = stop_reason::end_turn) {
  auto result = model_event{};
  result.kind = model_event_kind::stop;
  result.stop = why;
  return result;
}

inline model_event usage_event(uint64_t input, uint64_t output) {
  auto result = model_event{};
  result.kind = model_event_kind::usage;
  result.usage.input_tokens = input;
  result.usage.output_tokens = output;
  return result;
}

/// An answer of a text, which took as many tokens of input and one of output.
inline model_batch says(std::string text, uint64_t tokens = 1) {
  auto event = model_event{};
  event.text = std::move(text);
  return {{std::move(event), usage_event(tokens, 1), stop_event()}, {}};
}

/// An answer that calls one tool.
inline model_batch calls(std::string name, std::string arguments = "{}",
                         uint64_t tokens = 1) {
  auto event = model_event{};
  event.kind = model_event_kind::tool_call;
  event.call = {"c", std::move(name), std::move(arguments), {}};
  return {{std::move(event), usage_event(tokens, 1),
           stop_event(stop_reason::tool_use)},
          {}};
}

/// A request in short: s, u, a, t for the roles, c for an answer that calls, S
/// for a summary.
inline std::string shape(const model_request& request) {
  auto result = std::string{};
  for (const auto& one : request.messages)
    if (!summary_text(*one).empty())
      result += 'S';
    else if (!one->calls.empty())
      result += 'c';
    else
      result += "suat"[static_cast<size_t>(one->role)];
  return result;
}

/// A runtime on the disk whose agent "calc" asks the script; a later one finds
/// what an earlier one stored.
class scripted_host {
public:
  scripted_host() {
    options.settings.storage.path = (folder.path() / "store").string();
    options.settings.storage.durability = durability::relaxed;
    options.settings.permissions.mode = permission_mode::auto_allow;
    options.settings.models["summarizer"].target = "local:short";
    options.models["local"] = live.system().spawn(scripted_model, told);
    options.on_log = [](log_level, const std::string&) {};
    calc.model("local:main").system_prompt("You calculate.");
  }

  /// `others` are agents beside "calc".
  runtime& start(const std::vector<agent>& others = {}) {
    host_.reset();
    options.agents = {calc};
    options.agents.insert(options.agents.end(), others.begin(), others.end());
    host_ = std::make_unique<runtime>(live.system(), options);
    return *host_;
  }

  runtime& host() {
    return host_ ? *host_ : start();
  }

  run_object ask(const std::string& prompt) {
    return host().ask(request(prompt));
  }

  static run_request request(const std::string& prompt) {
    auto result = run_request{};
    result.agent = "calc";
    result.input = prompt;
    result.session_id = "s";
    return result;
  }

  /// Starts a run and kills its actor when it has asked the model for the
  /// `count`th time; its id.
  std::string crash_at(size_t count) {
    told->silent_at = count;
    auto run = host().start(request("go"));
    auto id = run.run_id();
    REQUIRE(
      eventually([&] { return told->requests_to("main").size() == count; }));
    caf::anon_send_exit(run.actor(), caf::exit_reason::kill);
    REQUIRE(eventually([&] {
      auto found = host().find_run(id);
      return found && *found && (*found)->status == run_status::interrupted;
    }));
    told->silent_at = 0;
    return id;
  }

  std::vector<chat_message_ptr> messages() {
    auto result = host().messages({"calc", "s", ""});
    REQUIRE(result);
    return *result;
  }

  temp_dir folder;
  live_system live;
  std::shared_ptr<script> told = std::make_shared<script>();
  runtime_options options;
  agent calc{"calc"};

private:
  std::unique_ptr<runtime> host_;
};

} // namespace troupe::test
