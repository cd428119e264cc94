#include "troupe/config/participant_reader.hpp"

#include "troupe/config/nearest_name.hpp"
#include "troupe/config/setting_keys.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace troupe {

namespace {

// How a participant is asked, beside what it is.
constexpr auto option_keys = std::array<std::string_view, 6>{
  "input", "history", "context", "timeout", "retries", "retry_on"};

constexpr auto assembly_keys
  = std::array<std::string_view, 3>{"graph", "workflow", "swarm"};

constexpr auto most_retries = uint64_t{100};

// Kinds of errors that a step may be repeated for, or an edge followed.
constexpr auto error_words = std::array<std::string_view, 20>{
  "provider",          "auth",           "rate_limit",    "overloaded",
  "invalid_request",   "context_length", "timeout",       "network",
  "protocol",          "cassette",       "limit",         "tool",
  "permission",        "sandbox",        "policy",        "storage",
  "structured_result", "routing",        "configuration", "internal"};

bool is_file(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".yaml")
         || text.ends_with(".yml");
}

std::string resolved(const yaml_value& value, const std::string& text) {
  auto failed = std::error_code{};
  auto path = std::filesystem::path{value.folder()} / text;
  auto result = std::filesystem::absolute(path, failed);
  return (failed ? path : result).lexically_normal().string();
}

template <class Keys>
bool is_one_of(const Keys& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::vector<std::string> keys_of_agents() {
  auto result = std::vector<std::string>{};
  for (const auto& key : agent_keys())
    result.push_back(key.path.substr(0, key.path.find('.')));
  return result;
}

// Whether `key` is one of an agent file, or looks more like one than like an
// option of a participant.
bool is_of_agent(const std::string& key,
                 const std::vector<std::string>& of_agents) {
  if (is_one_of(of_agents, key))
    return true;
  const auto options = std::vector<std::string>{option_keys.begin(),
                                                option_keys.end()};
  return !nearest_name(key, options) && nearest_name(key, of_agents);
}

// Whether a mapping is a definition itself, and not the mention of one: what
// `agent` names is no file then, and a definition has keys of its own.
bool is_definition(const yaml_value& mapping) {
  const auto& node = *mapping.node();
  for (auto key : assembly_keys)
    if (find_member(node, key) != nullptr)
      return true;
  const auto* agent = find_member(node, "agent");
  if (agent == nullptr || agent->kind != yaml_kind::scalar
      || is_file(agent->text))
    return false;
  const auto of_agents = keys_of_agents();
  return std::any_of(node.members.begin(), node.members.end(),
                     [&](const yaml_member& x) {
                       return x.key.text != "agent"
                              && !is_one_of(option_keys, x.key.text)
                              && is_of_agent(x.key.text, of_agents);
                     });
}

void read_reference(const yaml_value& value, definition_source& from,
                    participant_settings& x) {
  if (value.is_mapping()) {
    x.definition = from.from_mapping(value);
    return;
  }
  auto text = value.text();
  if (!text)
    return;
  if (text->empty())
    value.fail("expected the name of an agent or a file, found nothing");
  else if (!is_file(*text))
    x.agent = std::move(*text);
  else if (auto path = resolved(value, *text); from.is_found_later(path))
    x.agent = std::move(path);
  else
    x.definition = from.from_file(value, path);
}

template <class T, class From>
void take(T& x, From&& found) {
  if (found)
    x = static_cast<T>(*std::forward<From>(found));
}

void read_options(yaml_fields& fields, participant_settings& x) {
  x.input = fields.get("input").text();
  take(x.history, fields.get("history").flag());
  take(x.context, fields.get("context").flag());
  if (auto timeout = fields.get("timeout")) {
    x.timeout = timeout.duration();
    if (x.timeout && x.timeout->count() <= 0)
      timeout.fail("must be longer than 0s");
  }
  take(x.retries, fields.get("retries").count(0, most_retries));
  auto retry_on = fields.get("retry_on");
  x.retry_on = read_error_kinds(retry_on);
  if (x.retries > 0 && x.retry_on.empty())
    fields.place().fail("retries without retry_on repeat nothing",
                        "name the kinds of errors: retry_on: [provider]");
}

} // namespace

definition_source::~definition_source() {
  // nop
}

bool is_error_word(std::string_view word) noexcept {
  return std::find(error_words.begin(), error_words.end(), word)
         != error_words.end();
}

std::vector<std::string> read_error_kinds(const yaml_value& list) {
  auto result = std::vector<std::string>{};
  for (const auto& item : list.items())
    if (auto word = item.word(error_words))
      result.push_back(std::move(*word));
  return result;
}

participant_settings read_participant(yaml_fields& fields, std::string_view key,
                                      definition_source& from) {
  auto result = participant_settings{};
  if (auto named = fields.require(key))
    read_reference(named, from, result);
  read_options(fields, result);
  return result;
}

participant_settings read_participant(const yaml_value& value,
                                      definition_source& from) {
  if (!value.is_mapping()) {
    auto result = participant_settings{};
    read_reference(value, from, result);
    return result;
  }
  auto fields = value.fields();
  if (is_definition(value)) {
    auto result = participant_settings{};
    result.definition = from.from_mapping_without(value, option_keys);
    read_options(fields, result);
    return result;
  }
  auto result = read_participant(fields, "agent", from);
  fields.reject_unknown();
  return result;
}

} // namespace troupe
