#pragma once

#include "troupe/actors/tools/tool_context.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// What a `tool_context` shows of one call. Made by the tool's actor; a
/// blocking function may outlive the actor's interest in it.
struct tool_context::call_data {
  tool_actor::pointer self = nullptr;
  tool_request request;
  std::string idempotency_key;
  sandbox_actor sandbox;
  std::shared_ptr<co::blocking_pool> pool;
  /// What the call has set, as JSON texts.
  std::map<std::string, std::string> changes;

  /// The files it gives; one with a resolver has no bytes yet.
  struct given_file {
    tool_artifact file;
    std::function<std::string()> resolver;
  };

  std::vector<given_file> files;
  std::atomic<bool> is_cancelled = false;
};

/// What each attempt of a call has and no other call of any run: "RUN/RECORD/
/// CALL". Steps of one run are told apart by their conversations, which are
/// named after it.
std::string key_of_call(const invocation& run, uint64_t record,
                        const std::string& call_id);

/// The changes of a call as the text of one JSON object; empty: none.
std::string state_patch(const tool_context::call_data& data);

} // namespace troupe
