#include "troupe/runtime/model/history.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace troupe {

namespace {

/// The calls of the assistant message that results belong to.
class open_calls {
public:
  /// Begins with the calls of `message`.
  void open(const chat_message& message) {
    calls_ = message.calls;
    results_.assign(calls_.size(), {});
    at_ = message.at;
  }

  /// Takes a result; the first call of its id that has none.
  void take(const chat_message_ptr& result) {
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (!results_[i] && calls_[i].id == result->call_id) {
        results_[i] = result;
        return;
      }
  }

  /// Hands over what is there, unless all of it is.
  bool leave_open(repaired_history& out) {
    auto is_missing = [](const chat_message_ptr& x) { return !x; };
    if (std::none_of(results_.begin(), results_.end(), is_missing))
      return false;
    out.open = std::move(results_);
    return true;
  }

  /// Appends one result a call.
  void close(repaired_history& out) {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!results_[i]) {
        results_[i] = chat_message_ptr{missing(calls_[i])};
        out.added.push_back(results_[i]);
      }
      out.messages.push_back(std::move(results_[i]));
    }
    calls_.clear();
    results_.clear();
  }

private:
  chat_message missing(const tool_call& call) const {
    auto result = chat_message{};
    result.role = message_role::tool;
    result.text = lost_result;
    result.call_id = call.id;
    result.tool_name = call.name;
    result.is_error = true;
    result.at = at_;
    return result;
  }

  std::vector<tool_call> calls_;
  std::vector<chat_message_ptr> results_;
  int64_t at_ = 0;
};

} // namespace

repaired_history repair_history(std::vector<chat_message_ptr> messages,
                                open_turn_rule rule) {
  auto result = repaired_history{};
  result.messages.reserve(messages.size());
  auto calls = open_calls{};
  for (auto& message : messages) {
    if (message->role == message_role::tool) {
      calls.take(message);
      continue;
    }
    calls.close(result);
    calls.open(*message);
    result.messages.push_back(std::move(message));
  }
  if (rule == open_turn_rule::close || !calls.leave_open(result))
    calls.close(result);
  return result;
}

void make_ids_unique(std::vector<tool_call>& calls) {
  auto seen = std::set<std::string>{};
  for (auto& call : calls) {
    if (call.id.empty())
      call.id = "call";
    auto base = call.id;
    for (auto n = 2; !seen.insert(call.id).second; ++n)
      call.id = base + "_" + std::to_string(n);
  }
}

} // namespace troupe
