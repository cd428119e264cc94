#include "troupe/runtime/run/repeated_calls.hpp"

#include "troupe/runtime/json/json_text.hpp"
#include "troupe/sandbox/sha256.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>

namespace troupe {

namespace {

/// One text for all forms of the arguments.
std::string canonical(const tool_call& call) {
  if (!call.raw.empty())
    return call.raw;
  auto value = parse_json(call.arguments);
  return value ? dump_json(*value) : call.arguments; // members are sorted
}

/// Names end with a zero, which no JSON has in it.
std::string key_of(const tool_call& call, const std::string& result) {
  auto text = call.name + '\0' + canonical(call) + '\0' + result;
  auto digest = sha256_of(text);
  return digest ? std::move(*digest) : std::move(text);
}

/// Whether the results of the answer at `at` are all there, behind it.
bool is_settled(const std::vector<chat_message_ptr>& messages, size_t at) {
  auto count = messages[at]->calls.size();
  if (count == 0 || messages.size() - at <= count)
    return false;
  auto first = messages.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  return std::all_of(first, first + static_cast<std::ptrdiff_t>(count),
                     [](const chat_message_ptr& x) {
                       return x->role == message_role::tool;
                     });
}

} // namespace

repeated_call
repeated_calls::take(const std::vector<chat_message_ptr>& messages,
                     uint64_t after) {
  auto result = repeated_call{};
  auto first = messages.size();
  auto known = std::max(after, last_record_);
  // What was taken before stands in front; a summary has no record.
  while (first > 0
         && (messages[first - 1]->record == 0
             || messages[first - 1]->record > known))
    --first;
  for (auto i = first; i < messages.size(); ++i) {
    const auto& answer = *messages[i];
    if (answer.record <= known || !is_settled(messages, i))
      continue;
    last_record_ = answer.record;
    result = {};
    for (size_t k = 0; k < answer.calls.size(); ++k) {
      auto count = add(answer.calls[k], messages[i + 1 + k]->text);
      if (count > result.count)
        result = {answer.calls[k].name, count};
    }
  }
  return result;
}

uint32_t repeated_calls::add(const tool_call& call, const std::string& result) {
  return ++counts_[key_of(call, result)];
}

} // namespace troupe
