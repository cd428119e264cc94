#include "troupe/runtime/model/cassette_text.hpp"

#include "troupe/config/parse_units.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe {

namespace {

using nlohmann::ordered_json;

constexpr auto stop_words = std::array{"end_turn", "tool_use", "max_tokens",
                                       "refusal"};
// YAML allows implicit keys of 1,024 characters, and the reader 64 levels.
constexpr size_t max_key = 200;
constexpr size_t max_depth = 40;

// JSON's quotes are YAML's, but for characters that YAML takes for line ends
// or does not allow.
std::string scalar(std::string_view text) {
  auto json = dump_json(std::string{text});
  auto result = std::string{};
  auto escape = [&](size_t at, std::string_view bytes, const char* escaped) {
    if (std::string_view{json}.substr(at, bytes.size()) != bytes)
      return size_t{0};
    result += escaped;
    return bytes.size();
  };
  for (auto i = size_t{0}; i < json.size();) {
    auto size = escape(i, "\x7f", "\\u007f");
    size += escape(i, "\xC2\x85", "\\u0085");
    size += escape(i, "\xE2\x80\xA8", "\\u2028");
    size += escape(i, "\xE2\x80\xA9", "\\u2029");
    size += escape(i, "\xEF\xBB\xBF", "\\ufeff");
    if (size == 0)
      result += json[i++];
    i += size;
  }
  return result;
}

// Whether YAML gives this JSON back as it is.
bool is_plain(const ordered_json& value, size_t depth) {
  if (value.is_object())
    for (const auto& [key, item] : value.items())
      if (key.size() > max_key)
        return false;
  if (value.is_structured())
    return depth < max_depth
           && std::all_of(
             value.begin(), value.end(),
             [&](const auto& item) { return is_plain(item, depth + 1); });
  return !value.is_number_float();
}

// As YAML, keys and strings in quotes.
std::string flow(const ordered_json& value) {
  if (value.is_string())
    return scalar(value.get_ref<const std::string&>());
  if (!value.is_structured())
    return value.dump();
  auto result = std::string{};
  for (const auto& [key, item] : value.items()) {
    result += result.empty() ? "" : ", ";
    result += value.is_object() ? scalar(key) + ": " : "";
    result += flow(item);
  }
  return value.is_object() ? "{" + result + "}" : "[" + result + "]";
}

// A mapping where it comes back byte for byte, otherwise the exact text.
std::string arguments_of(const tool_call& call) {
  if (!call.raw.empty())
    return scalar(call.raw);
  auto value = parse_object(call.arguments);
  if (value) {
    auto ordered = ordered_json::parse(call.arguments);
    if (is_plain(ordered, 0) && ordered.dump() == call.arguments)
      return flow(ordered);
  }
  return scalar(call.arguments);
}

bool has_mustache(const recorded_turn& x) {
  auto is_tag = [](const std::string& text) {
    return text.find("{{") != std::string::npos;
  };
  return is_tag(x.text) || is_tag(x.reasoning)
         || std::any_of(x.calls.begin(), x.calls.end(),
                        [&](const tool_call& call) {
                          return is_tag(call.arguments) || is_tag(call.raw);
                        });
}

std::string to_yaml(const token_usage& x) {
  return "{input_tokens: " + std::to_string(x.input_tokens)
         + ", output_tokens: " + std::to_string(x.output_tokens)
         + ", cached_tokens: " + std::to_string(x.cached_tokens) + "}";
}

std::string to_yaml(const content_block& x) {
  return "{name: " + scalar(x.name) + ", media_type: " + scalar(x.media_type)
         + ", size: " + std::to_string(x.size) + ", digest: " + scalar(x.digest)
         + "}";
}

/// Empty where nothing is expected.
std::string expectation_of(const recorded_turn& x) {
  auto result = std::string{};
  if (!x.last_user.empty())
    result = "last_user: " + scalar(x.last_user);
  if (x.attachments.empty())
    return result;
  auto list = std::string{};
  for (const auto& one : x.attachments)
    list += (list.empty() ? "" : ", ") + to_yaml(one);
  return result + (result.empty() ? "" : ", ") + "attachments: [" + list + "]";
}

} // namespace

std::string to_cassette_text(const recorded_turn& x) {
  auto result = std::string{};
  auto line = [&](const std::string& text) {
    result += (result.empty() ? "  - " : "    ") + text + "\n";
  };
  if (auto expected = expectation_of(x); !expected.empty())
    line("expect: {" + expected + "}");
  line("reply:");
  if (has_mustache(x))
    line("  template: false");
  if (!x.reasoning.empty())
    line("  reasoning: " + scalar(x.reasoning));
  if (!x.text.empty() || x.calls.empty())
    line("  text: " + scalar(x.text));
  if (!x.calls.empty())
    line("  tool_calls:");
  for (const auto& call : x.calls)
    line("    - {id: " + scalar(call.id) + ", name: " + scalar(call.name)
         + ", arguments: " + arguments_of(call) + "}");
  if (x.stop)
    line(std::string{"  stop: "} + stop_words[static_cast<size_t>(*x.stop)]);
  if (x.usage)
    line("  usage: " + to_yaml(*x.usage));
  return result;
}

std::string to_cassette_text(const fault& what, size_t pieces) {
  auto result = "  - error: {kind: " + to_string(what.kind)
                + ", message: " + scalar(what.message);
  if (what.status >= 100 && what.status <= 599)
    result += ", status: " + std::to_string(what.status);
  if (what.retry_after.count() > 0)
    result += ", retry_after: " + format_duration(what.retry_after);
  if (pieces > 0)
    result += ", after_chunks: " + std::to_string(pieces);
  return result + "}\n";
}

} // namespace troupe
