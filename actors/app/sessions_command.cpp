#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/setup.hpp"
#include "troupe/actors/app/store_access.hpp"
#include "troupe/actors/app/terminal.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/model/history.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/stored_log.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <iostream>
#include <limits>

namespace troupe::app {

namespace {

using json = nlohmann::ordered_json;

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(sanitize_utf8(text));
}

json key_json(const session_key& key) {
  auto result = json{};
  result["session_id"] = sanitize_utf8(key.session_id);
  result["agent"] = sanitize_utf8(key.agent);
  result["actor_id"] = text_or_null(key.actor_id);
  return result;
}

/// The one session that was named.
caf::expected<session_key> find_session(store& store, const options& x) {
  auto all = store.list(x.id);
  if (!all)
    return std::move(all.error());
  auto names = std::string{};
  auto found = std::vector<session_key>{};
  for (const auto& one : *all) {
    if ((!x.agent.empty() && one.key.agent != x.agent)
        || (!x.actor.empty() && one.key.actor_id != x.actor))
      continue;
    found.push_back(one.key);
    names += (names.empty() ? "" : "; ") + std::string{"--agent "}
             + one.key.agent;
    if (!one.key.actor_id.empty())
      names += " --actor " + one.key.actor_id;
  }
  if (found.empty())
    return make_error(errc::configuration,
                      "there is no session \"" + x.id + "\"", {},
                      "troupe sessions list");
  if (found.size() > 1)
    return make_error(errc::configuration,
                      "there are several sessions \"" + x.id + "\"", {},
                      "choose one: " + names);
  return found.front();
}

/// All messages with the numbers of their records.
caf::expected<json> messages_json(store& store, const session_key& key) {
  auto messages = std::vector<chat_message_ptr>{};
  for (auto after = uint64_t{0};;) {
    auto page = store.load(key, after, 1024);
    if (!page)
      return std::move(page.error());
    if (page->empty())
      break;
    for (const auto& record : *page) {
      if (record.kind != record_kind::message)
        continue;
      auto message = decode_message(record.body);
      if (!message)
        return std::move(message.error());
      messages.emplace_back(std::move(*message));
    }
    after = page->back().seq;
  }
  auto result = json::array();
  auto seq = uint64_t{0};
  for (const auto& one : repair_history(std::move(messages)).messages)
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
      else
        line += part["name"].get<std::string>() + " = "
                + part["content"].dump();
      std::cout << printable(line) << '\n';
    }
}

int with_session(const options& x,
                 const std::function<int(store&, session_key)>& work) {
  auto store = open_store(x);
  if (!store)
    return report(store.error());
  auto key = find_session(**store, x);
  if (!key)
    return report(key.error());
  return work(**store, std::move(*key));
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
    if (x.json || x.command == command::sessions_export)
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
