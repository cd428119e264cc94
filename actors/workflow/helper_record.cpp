#include "troupe/actors/workflow/helper_record.hpp"

#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

constexpr auto words = std::array<std::string_view, 5>{"running", "waiting",
                                                       "completed", "failed",
                                                       "stopped"};

helper_status status_from(const std::string& word) {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == word)
      return static_cast<helper_status>(i);
  throw co::failure{errc::storage, "\"" + word + "\" is no state of a helper"};
}

errc kind_from(const std::string& word) {
  for (auto i = 0; i <= static_cast<int>(last_errc); ++i)
    if (to_string(static_cast<errc>(i)) == word)
      return static_cast<errc>(i);
  return errc::internal;
}

} // namespace

std::string to_string(helper_status x) {
  return std::string{words[static_cast<size_t>(x)]};
}

std::string helper_json(const helper& x) {
  auto result = nlohmann::json{{"kind", x.kind},
                               {"is_subagent", x.is_subagent},
                               {"turn", x.turn},
                               {"input", x.input},
                               {"status", to_string(x.status)}};
  if (x.status == helper_status::failed)
    result["error"] = {{"kind", to_string(x.why.kind)},
                       {"message", x.why.message}};
  return dump_json(result);
}

helper helper_from(const std::string& json_text) {
  auto value = parse_object(json_text);
  if (!value)
    throw co::failure{std::move(value.error())};
  auto result = helper{};
  result.kind = value->value("kind", std::string{});
  result.is_subagent = value->value("is_subagent", true);
  result.turn = value->value("turn", 1U);
  result.input = value->value("input", std::string{});
  result.status = status_from(value->value("status", std::string{}));
  if (auto why = value->find("error"); why != value->end()) {
    result.why.kind = kind_from(why->value("kind", std::string{}));
    result.why.message = why->value("message", std::string{});
  }
  return result;
}

} // namespace troupe
