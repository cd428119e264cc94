#pragma once

#include "troupe/runtime/messages/chat_message.hpp"

#include "caf/meta/type_name.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Says something to the agent of a run while it works. Answered when it is
/// known what has become of it; an error: it was not heard.
struct interject {
  std::string text;
  std::vector<content_block> blocks;
  /// A value of the run that is stored with it, so that it is not said again
  /// after a crash; empty: none.
  std::string mark;
};

template <class Inspector>
auto inspect(Inspector& f, interject& x) {
  return f(caf::meta::type_name("troupe::interject"), x.text, x.blocks, x.mark);
}

enum class interjection_outcome : uint8_t {
  /// The model was told in this run.
  delivered,
  /// The run was over before; it stands in the conversation for the next one.
  next_input,
};

struct interjection_end {
  interjection_outcome outcome = interjection_outcome::delivered;
};

template <class Inspector>
auto inspect(Inspector& f, interjection_end& x) {
  return f(caf::meta::type_name("troupe::interjection_end"), x.outcome);
}

/// What the model of an agent orders of those that work for it.
struct helper_order {
  /// The tool that it called: one of `subagent_…`, or an assembly as a tool.
  std::string tool;
  /// The arguments: the text of a JSON object.
  std::string arguments;
  /// The same for each attempt of the call, and for no other call.
  std::string key;
};

template <class Inspector>
auto inspect(Inspector& f, helper_order& x) {
  return f(caf::meta::type_name("troupe::helper_order"), x.tool, x.arguments,
           x.key);
}

struct helper_reply {
  /// The JSON text that the model sees.
  std::string content;
  bool is_error = false;
  /// There is no result yet: who would give it waits for a person, or for
  /// input, and so does the call.
  bool waits = false;
};

template <class Inspector>
auto inspect(Inspector& f, helper_reply& x) {
  return f(caf::meta::type_name("troupe::helper_reply"), x.content, x.is_error,
           x.waits);
}

} // namespace troupe
