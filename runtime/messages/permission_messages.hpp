#pragma once

#include "troupe/runtime/messages/tool_messages.hpp"

#include "caf/meta/type_name.hpp"

#include <cstdint>
#include <string>

namespace troupe {

/// Asks a person, or whoever stands in for one, about one call.
struct permission_request {
  troupe::invocation invocation;
  std::string agent;
  tool_call call;
  /// read | glob | write | shell | fetch | search.
  std::string capability;
  /// What the call is about: a path, a command, an address; may be empty.
  std::string subject;
};

template <class Inspector>
auto inspect(Inspector& f, permission_request& x) {
  return f(caf::meta::type_name("troupe::permission_request"), x.invocation,
           x.agent, x.call, x.capability, x.subject);
}

enum class permission_verdict : uint8_t {
  deny,
  allow,
  /// Allow, and do not ask again in this session about the same capability
  /// and subject.
  always,
};

struct permission_answer {
  permission_verdict verdict = permission_verdict::deny;
  /// For the model, when it is denied; may be empty.
  std::string reason;
};

template <class Inspector>
auto inspect(Inspector& f, permission_answer& x) {
  return f(caf::meta::type_name("troupe::permission_answer"), x.verdict,
           x.reason);
}

} // namespace troupe
