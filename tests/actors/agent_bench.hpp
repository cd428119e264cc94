#pragma once

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/actors/troupe.hpp"

#include <boost/describe.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::test {

using namespace std::chrono_literals;

struct sum {
  double a = 0;
  double b = 0;
};

BOOST_DESCRIBE_STRUCT(sum, (), (a, b))

inline double add(sum x) {
  return x.a + x.b;
}

struct nothing {};

BOOST_DESCRIBE_STRUCT(nothing, (), ())

inline std::string fail_openly(nothing) {
  throw tool_error{"the disk is upside down"};
}

inline std::string fail_secretly(nothing) {
  throw std::runtime_error{"password=hunter2"};
}

inline co::task<std::string> sleep_long(tool_context context, nothing) {
  co_await context.sleep(1h);
  co_return std::string{"awake"};
}

/// A runtime with one agent, "calc", whose model plays `cassette`.
class bench {
public:
  explicit bench(const std::string& cassette) {
    file_ = folder_.write("model.yaml", "cassette: 1\n" + cassette);
    options_.settings.storage.in_memory = true;
    options_.settings.permissions.mode = permission_mode::auto_allow;
    calc_.model("cassette:" + file_).system_prompt("You calculate.");
    calc_.use(make_tool("add", "Adds.", add));
  }

  agent& calc() {
    return calc_;
  }

  runtime_options& options() {
    return options_;
  }

  runtime& start() {
    options_.agents = {calc_};
    runtime_ = std::make_unique<runtime>(options_);
    return *runtime_;
  }

  /// What `start` made.
  runtime& host() {
    return *runtime_;
  }

  run_object ask(const std::string& prompt, const std::string& session = "s") {
    if (!runtime_)
      start();
    auto request = run_request{};
    request.agent = "calc";
    request.input = prompt;
    request.session_id = session;
    return runtime_->ask(request);
  }

  std::vector<chat_message_ptr> messages(const std::string& session = "s") {
    auto result = runtime_->messages({"calc", session, ""});
    REQUIRE(result);
    return *result;
  }

private:
  test::temp_dir folder_;
  std::string file_;
  runtime_options options_;
  agent calc_{"calc"};
  std::unique_ptr<runtime> runtime_;
};

constexpr auto two_turns = R"(
exchanges:
  - reply: {tool_calls: [{id: c1, name: add, arguments: {a: 2, b: 3}}], usage: {input_tokens: 7, output_tokens: 3}}
  - reply: {text: "It is {{last_tool}}.", usage: {input_tokens: 9, output_tokens: 4}}
)";

inline std::vector<run_event> read_all(execution& run) {
  auto result = std::vector<run_event>{};
  while (auto event = run.next())
    result.push_back(std::move(*event));
  return result;
}

/// Every call has exactly one result right behind its message, in order.
inline void check_pairing(const std::vector<chat_message_ptr>& messages) {
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto& calls = messages[i]->calls;
    for (size_t k = 0; k < calls.size(); ++k) {
      REQUIRE(i + 1 + k < messages.size());
      const auto& result = *messages[i + 1 + k];
      CHECK(result.role == message_role::tool);
      CHECK(result.call_id == calls[k].id);
    }
    if (messages[i]->role == message_role::tool)
      continue;
    auto next = i + 1 + calls.size();
    if (next < messages.size())
      CHECK(messages[next]->role != message_role::tool);
  }
}

} // namespace troupe::test
