#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/session_access.hpp"
#include "troupe/actors/app/store_access.hpp"
#include "troupe/actors/app/terminal.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/stored_log.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace troupe::app {

namespace {

using json = nlohmann::ordered_json;

/// All messages, numbered from 1.
caf::expected<json> messages_json(store& store, const session_key& key) {
  auto messages = read_whole_session(store, key);
  if (!messages)
    return std::move(messages.error());
  auto result = json::array();
  auto seq = uint64_t{0};
  for (const auto& one : *messages)
    result.push_back(message_json(*one, ++seq));
  return result;
}

void print_messages(const json& session) {
  for (const auto& message : session["messages"])
    for (const auto& part : message["content"]) {
      auto line = message["role"].get<std::string>() + ": ";
      auto type = part["type"].get<std::string>();
      if (type == "text")
        line += part["text"].get<std::string>();
      else if (type == "tool_call")
        line += "→ " + part["name"].get<std::string>() + " "
                + part["arguments"].dump();
      else if (type == "image" || type == "document")
        line += "[" + type + " " + part["name"].get<std::string>() + ", "
                + part["media_type"].get<std::string>() + ", "
                + std::to_string(part["size"].get<uint64_t>()) + " bytes]";
      else
        line += part["name"].get<std::string>() + " = "
                + part["content"].dump();
      std::cout << printable(line) << '\n';
    }
}

} // namespace

int list_sessions_command(const options& x) {
  auto store = open_store(x);
  if (!store)
    return report(store.error());
  auto all = (*store)->list({});
  if (!all)
    return report(all.error());
  auto result = json::array();
  for (const auto& one : *all) {
    auto line = key_json(one.key);
    line["messages"] = one.messages;
    line["created_at"] = rfc3339(one.created_at);
    line["updated_at"] = rfc3339(one.updated_at);
    if (!x.json)
      std::cout << printable(
        one.key.session_id + "  " + one.key.agent
        + (one.key.actor_id.empty() ? "" : "  " + one.key.actor_id) + "  "
        + std::to_string(one.messages) + " messages  "
        + rfc3339(one.updated_at))
                << '\n';
    result.push_back(std::move(line));
  }
  if (x.json)
    std::cout << result.dump(2) << '\n';
  return exit_completed;
}

int show_session_command(const options& x) {
  return with_session(x, [&](store& store, const session_key& key) {
    auto session = key_json(key);
    auto messages = messages_json(store, key);
    if (!messages)
      return report(messages.error());
    session["messages"] = std::move(*messages);
    if (x.json)
      std::cout << session.dump(2) << '\n';
    else
      print_messages(session);
    return exit_completed;
  });
}

int delete_session_command(const options& x) {
  return with_session(x, [&](store& store, const session_key& key) {
    auto erased = erase_free_session(store, key);
    if (!erased)
      return report(erased.error());
    if (x.json)
      std::cout << json{{"deleted", *erased}}.dump() << '\n';
    return exit_completed;
  });
}

} // namespace troupe::app
