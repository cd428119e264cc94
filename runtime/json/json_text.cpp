#include "troupe/runtime/json/json_text.hpp"

#include "troupe/config/errc.hpp"

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace troupe {

namespace {

using nlohmann::json;

// Counts brackets outside strings, before any of them becomes a value. On
// text that is no JSON it may count wrongly, but never to less than the parser
// would open before it stops.
bool nests_deeper_than(std::string_view text, size_t limit) {
  auto depth = size_t{0};
  auto in_string = false;
  for (auto i = size_t{0}; i < text.size(); ++i) {
    auto c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > limit)
        return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

// nlohmann's texts start with "[json.exception.parse_error.101] ".
std::string plain_message(const json::exception& failure) {
  auto text = std::string{failure.what()};
  auto end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

} // namespace

caf::expected<json> parse_json(std::string_view text) {
  if (nests_deeper_than(text, max_json_depth))
    return make_error(errc::protocol, "the JSON is nested deeper than "
                                        + std::to_string(max_json_depth)
                                        + " levels");
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::exception& failure) {
    return make_error(errc::protocol,
                      "not valid JSON: "
                        + sanitize_utf8(plain_message(failure)));
  }
}

caf::expected<json> parse_object(std::string_view text) {
  auto result = parse_json(text);
  if (result && !result->is_object())
    return make_error(errc::protocol, "expected a JSON object, got "
                                        + std::string{json_type_name(*result)});
  return result;
}

std::string dump_json(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool is_deeper_than(const json& value, size_t limit) {
  auto level = std::vector<const json*>{&value};
  for (auto depth = size_t{0}; !level.empty(); ++depth) {
    auto next = std::vector<const json*>{};
    for (auto* item : level)
      if (item->is_structured())
        for (const auto& child : *item)
          next.push_back(&child);
    if (!next.empty() && depth >= limit)
      return true;
    level = std::move(next);
  }
  return false;
}

std::string_view json_type_name(const json& value) {
  return value.is_number() ? "number" : value.type_name();
}

} // namespace troupe
