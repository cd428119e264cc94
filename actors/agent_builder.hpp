#pragma once

#include "troupe/actors/tools/make_tool.hpp"
#include "troupe/actors/tools/tool.hpp"
#include "troupe/config/agent_settings.hpp"

#include "caf/timespan.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe {

class member;

/// An agent in the making, in C++ what an agent file is in YAML. A value; it
/// is checked when a runtime takes it.
class agent {
public:
  explicit agent(std::string name) {
    settings_.name = std::move(name);
  }

  /// Everything an agent file says; its tools are looked up by name.
  explicit agent(agent_settings settings) : settings_(std::move(settings)) {
    // nop
  }

  agent& description(std::string text) {
    settings_.description = std::move(text);
    return *this;
  }

  /// A role, "connection:model-id" or "cassette:FILE".
  agent& model(std::string target) {
    settings_.model = std::move(target);
    return *this;
  }

  agent& system_prompt(std::string text) {
    settings_.system_prompt = std::move(text);
    return *this;
  }

  /// A tool of the application.
  agent& use(tool one) {
    tools_.push_back(std::move(one));
    return *this;
  }

  /// A built-in tool, or one that the runtime was given, by name.
  agent& use(std::string name) {
    settings_.tools.push_back(std::move(name));
    return *this;
  }

  /// Lets its model start agents like `who`, at most `max` at once, and speak
  /// with them.
  agent& subagent(const std::string& kind, const member& who, uint32_t max = 4);

  /// An assembly, or another agent, as a tool that takes `{input}`.
  agent& use(const std::string& tool_name, const std::string& description,
             const member& who);

  agent& permissions(permission_settings rules) {
    settings_.permissions = std::move(rules);
    return *this;
  }

  agent& sandbox(sandbox_settings policy) {
    settings_.sandbox = std::move(policy);
    return *this;
  }

  agent& workspace(workspace_settings where) {
    settings_.workspace = std::move(where);
    return *this;
  }

  /// Keeps a file of the workspace as an artifact when the run ends, however it
  /// does.
  agent& produces(std::string path) {
    settings_.produces.push_back(std::move(path));
    return *this;
  }

  /// The form of its result: a JSON Schema. Answers are checked with it; what
  /// was checked is `run_object::output_json`.
  agent& result_schema(std::string json_text) {
    settings_.result_schema_json = std::move(json_text);
    return *this;
  }

  /// The result is a T, see described.hpp; `result_of<T>` reads it.
  template <described_struct T>
  agent& result() {
    return result_schema(schema_of<T>());
  }

  /// Fixes how the model is made to give its result.
  agent& result_strategy(troupe::result_strategy how) {
    settings_.result_strategy = how;
    return *this;
  }

  agent& max_turns(uint32_t count) {
    settings_.limits.max_turns = count;
    return *this;
  }

  agent& max_tool_calls(uint32_t count) {
    settings_.limits.max_tool_calls = count;
    return *this;
  }

  /// Input and output tokens, together with those that work for it.
  agent& max_tokens(uint32_t count) {
    settings_.limits.max_tokens = count;
    return *this;
  }

  /// How deep it may have others start others.
  agent& max_depth(uint32_t count) {
    settings_.limits.max_depth = count;
    return *this;
  }

  agent& deadline(caf::timespan limit) {
    settings_.limits.deadline = limit;
    return *this;
  }

  const agent_settings& settings() const noexcept {
    return settings_;
  }

  const std::vector<tool>& tools() const noexcept {
    return tools_;
  }

private:
  agent_settings settings_;
  std::vector<tool> tools_;
};

} // namespace troupe
