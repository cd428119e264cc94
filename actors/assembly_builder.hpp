#pragma once

#include "troupe/actors/agent_builder.hpp"
#include "troupe/config/assembly_settings.hpp"
#include "troupe/runtime/assembly/assembly_record.hpp"

#include "caf/timespan.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

/// Several agents that work as one, in the making: a value, made by `graph`,
/// `swarm` and `steps` or from what a file says. A runtime checks it when it
/// takes it; a run has a fixed copy.
class assembly {
public:
  assembly(assembly_settings settings) // what a file says is one
    : settings_(std::move(settings)) {
    // nop
  }

  const assembly_settings& settings() const noexcept {
    return settings_;
  }

protected:
  assembly_settings settings_;
};

/// An agent or an assembly of one participant's own.
struct own_definition {
  std::variant<agent, assembly_settings> what;
};

/// Who takes part in an assembly, or works for an agent, and how it is asked. A
/// value.
class member {
public:
  /// An agent or assembly that the runtime knows by this name.
  member(const char* name) : member(std::string{name}) {
    // nop
  }

  member(std::string name) {
    settings_.agent = std::move(name);
  }

  member(agent own) {
    settings_.own
      = std::make_shared<const own_definition>(own_definition{std::move(own)});
  }

  member(const assembly& own) {
    settings_.own
      = std::make_shared<const own_definition>(own_definition{own.settings()});
  }

  /// A Mustache template over `{input, results.NAME.output, context}`.
  member& input(std::string text) {
    settings_.input = std::move(text);
    return *this;
  }

  /// What it is asked, made in code out of what has happened so far.
  member& input(input_mapper map) {
    settings_.map = std::move(map);
    return *this;
  }

  /// It is shown what was said before.
  member& history(bool on = true) {
    settings_.history = on;
    return *this;
  }

  /// It gets the application's values.
  member& context(bool on = true) {
    settings_.context = on;
    return *this;
  }

  /// Of one try.
  member& timeout(caf::timespan limit) {
    settings_.timeout = limit;
    return *this;
  }

  /// Asks it again, from the start, at most `count` times, after errors of
  /// these kinds: "provider" or the words of `error.kind`.
  member& retry(uint32_t count, std::vector<std::string> kinds) {
    settings_.retries = count;
    settings_.retry_on = std::move(kinds);
    return *this;
  }

  /// What a file would say.
  const participant_settings& settings() const noexcept {
    return settings_;
  }

private:
  participant_settings settings_;
};

/// A question in code about what has happened so far.
using question = std::function<bool(const assembly_record&)>;

/// A question about the output of a participant, `when("triage").equals("x")`.
class when {
public:
  explicit when(std::string node) {
    settings_.node = std::move(node);
  }

  /// Asks about what a JSON pointer into the output leads to.
  when& at(std::string pointer) {
    settings_.pointer = std::move(pointer);
    return *this;
  }

  /// Whether it is this text.
  condition_settings equals(const std::string& text) const;
  /// Whether it is the value of this JSON text.
  condition_settings equals_json(std::string json_text) const;
  condition_settings contains(std::string text) const;
  /// Whether this RE2 expression is found in it.
  condition_settings matches(std::string expression) const;

private:
  condition_settings settings_;
};

/// A graph in the making. See docs/assemblies.md for what the edges mean.
class graph : public assembly {
public:
  explicit graph(std::string name);

  graph& description(std::string text);
  /// Throws `co::failure` of kind configuration where the name is taken.
  graph& node(const std::string& name, const member& who);
  /// The node that a run begins with; without it the first that was added.
  graph& start(std::string name);
  /// The node whose answer is that of the graph.
  graph& finish(std::string name);
  graph& edge(std::string from, std::string to);
  graph& edge(std::string from, std::string to, condition_settings condition);
  graph& edge(std::string from, std::string to, question condition);
  /// From several that are waited for; `input` is a template.
  graph& join(std::vector<std::string> from, std::string to,
              std::optional<std::string> input = {});
  /// Where it goes on after errors of these kinds.
  graph& on_error(std::string from, std::string to,
                  std::vector<std::string> kinds);
  /// Any edge.
  graph& edge(edge_settings one);
  graph& max_concurrency(uint32_t count);
  graph& deadline(caf::timespan limit);
  graph& sandbox(sandbox_settings policy);

private:
  graph_settings& all();
};

/// A swarm in the making.
class swarm : public assembly {
public:
  explicit swarm(std::string name);

  swarm& description(std::string text);
  /// The first that is added begins, unless `start` says who does.
  /// Throws `co::failure` of kind configuration where the name is taken.
  swarm& add(const std::string& name, const member& who);
  swarm& start(std::string name);
  /// `from` may hand over to these and nobody else.
  swarm& handoffs(const std::string& from, std::vector<std::string> to);
  swarm& max_steps(uint32_t count);
  swarm& max_handoff_repeats(uint32_t count);
  swarm& deadline(caf::timespan limit);
  swarm& sandbox(sandbox_settings policy);

private:
  swarm_settings& all();
};

/// Participants that are asked one after the other: a workflow without code.
class steps : public assembly {
public:
  explicit steps(std::string name);

  /// Steps of a branch, which have no name.
  steps();

  steps& description(std::string text);
  /// `as` is the name of its result.
  steps& invoke(const std::string& as, const member& who);
  /// Runs the steps of `group` at once, at most `limit` of them.
  steps& parallel(const steps& group, uint32_t limit = 4);
  steps& branch(condition_settings condition, const steps& then_steps,
                const steps& else_steps = steps{});
  steps& branch(question condition, const steps& then_steps,
                const steps& else_steps = steps{});
  steps& deadline(caf::timespan limit);
  steps& sandbox(sandbox_settings policy);

private:
  std::vector<workflow_step_settings>& all();
};

} // namespace troupe
