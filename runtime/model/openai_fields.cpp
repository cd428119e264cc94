#include "troupe/runtime/model/openai_fields.hpp"

#include <array>
#include <cstddef>

namespace troupe {

namespace {

using place = openai_place;
using field = openai_field;
using rule = openai_rule;

constexpr auto rules = std::array{
  rule{place::root, "choices", field::none, place::choices},
  rule{place::root, "usage", field::none, place::usage},
  rule{place::root, "error", field::error_message, place::error},
  rule{place::root, "object", field::object, place::ignored},
  rule{place::root, "message", field::note, place::ignored},
  rule{place::root, "detail", field::note, place::ignored},
  rule{place::root, "code", field::error_code, place::ignored},
  rule{place::choices, "", field::none, place::choice},
  rule{place::choice, "delta", field::none, place::delta},
  rule{place::choice, "message", field::none, place::delta},
  rule{place::choice, "finish_reason", field::finish_reason, place::ignored},
  rule{place::choice, "usage", field::none, place::usage},
  rule{place::delta, "content", field::text, place::parts},
  rule{place::delta, "tool_calls", field::none, place::calls},
  rule{place::delta, "reasoning_content", field::reasoning_content,
       place::ignored},
  rule{place::delta, "reasoning", field::reasoning, place::ignored},
  rule{place::delta, "refusal", field::refusal, place::ignored},
  rule{place::parts, "", field::none, place::part},
  rule{place::part, "text", field::text, place::ignored},
  rule{place::calls, "", field::none, place::call},
  rule{place::call, "index", field::call_index, place::ignored},
  rule{place::call, "id", field::call_id, place::ignored},
  rule{place::call, "function", field::none, place::function},
  rule{place::function, "name", field::call_name, place::ignored},
  rule{place::function, "arguments", field::call_arguments, place::arguments},
  rule{place::usage, "prompt_tokens", field::input_tokens, place::ignored},
  rule{place::usage, "completion_tokens", field::output_tokens, place::ignored},
  rule{place::usage, "prompt_cache_hit_tokens", field::cached_tokens,
       place::ignored},
  rule{place::usage, "prompt_tokens_details", field::none,
       place::usage_details},
  rule{place::usage_details, "cached_tokens", field::cached_tokens,
       place::ignored},
  rule{place::error, "message", field::error_message, place::ignored},
  rule{place::error, "code", field::error_code, place::ignored},
  rule{place::error, "status", field::error_code, place::ignored},
  rule{place::error, "type", field::error_type, place::ignored},
};

constexpr auto no_rule = rule{place::ignored, "", field::none, place::ignored};

struct rule_range {
  size_t first = 0;
  size_t last = 0;
};

// Which rules belong to each place: they stand together.
constexpr auto ranges = [] {
  auto result = std::array<rule_range, static_cast<size_t>(place::error) + 1>{};
  for (size_t i = 0; i < rules.size(); ++i) {
    auto& range = result[static_cast<size_t>(rules[i].where)];
    if (range.last == 0)
      range.first = i;
    range.last = i + 1;
  }
  return result;
}();

} // namespace

const openai_rule& openai_rule_for(openai_place where, std::string_view key) {
  auto range = ranges[static_cast<size_t>(where)];
  for (auto i = range.first; i < range.last; ++i)
    if (rules[i].key == key)
      return rules[i];
  return no_rule;
}

} // namespace troupe
