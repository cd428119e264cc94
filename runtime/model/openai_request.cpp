#include "troupe/runtime/model/openai_request.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/json/json_string.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/model/openai_content.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

using nlohmann::json;

constexpr auto reserved_fields = std::array<std::string_view, 5>{
  "model", "messages", "tools", "stream", "n"};

constexpr size_t longest_name = 64;

constexpr std::string_view no_result
  = R"({"error":"interrupted: the call has no result"})";

using message_iterator = std::vector<chat_message_ptr>::const_iterator;

std::string_view name_of(message_role role) {
  switch (role) {
    case message_role::system:
      return "system";
    case message_role::assistant:
      return "assistant";
    case message_role::tool:
      return "tool";
    default:
      return "user";
  }
}

void append_member(std::string& out, std::string_view key,
                   std::string_view text) {
  out += '"';
  out += key;
  out += "\":";
  append_json_string(out, text);
}

// A model may invent any name, but a history with such a name is refused.
void append_tool_name(std::string& out, std::string_view name) {
  auto accepted = std::string{name.empty() ? "unknown" : name};
  accepted.resize(std::min(accepted.size(), longest_name));
  for (auto& c : accepted) {
    auto letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    auto digit = c >= '0' && c <= '9';
    if (!letter && !digit && c != '-')
      c = '_';
  }
  append_member(out, "name", accepted);
}

void append_calls(std::string& out, const std::vector<tool_call>& calls) {
  out += R"(,"tool_calls":[)";
  for (const auto& call : calls) {
    out += &call == &calls.front() ? "{" : ",{";
    append_member(out, "id", call.id);
    out += R"(,"type":"function","function":{)";
    append_tool_name(out, call.name);
    out += ',';
    append_member(out, "arguments", call.arguments);
    out += "}}";
  }
  out += ']';
}

void append_message(std::string& out, const chat_message& message) {
  out += R"({"role":")";
  out += name_of(message.role);
  out += R"(",)";
  if (message.text.empty() && !message.calls.empty())
    out += R"("content":null)";
  else if (message.role == message_role::user && !message.blocks.empty())
    append_openai_content(out, message.text, message.blocks);
  else
    append_member(out, "content", message.text);
  if (!message.calls.empty())
    append_calls(out, message.calls);
  out += '}';
}

void append_result(std::string& out, const tool_call& call,
                   std::string_view text) {
  out += R"(,{"role":"tool",)";
  append_member(out, "tool_call_id", call.id);
  out += ',';
  append_member(out, "content", text);
  out += '}';
}

// The results of `calls` are the tool messages before the next assistant
// message. Equal ids are told apart by their order.
void append_results(std::string& out, const std::vector<tool_call>& calls,
                    message_iterator first, message_iterator last) {
  auto blocks = std::vector<content_block>{};
  auto is_assistant = [](const auto& x) {
    return x->role == message_role::assistant;
  };
  auto results = std::vector<const chat_message*>{};
  for (auto end = std::find_if(first, last, is_assistant); first != end;
       ++first)
    if ((*first)->role == message_role::tool)
      results.push_back(&**first);
  for (const auto& call : calls) {
    auto answers = [&](auto* x) { return x->call_id == call.id; };
    auto found = std::find_if(results.begin(), results.end(), answers);
    if (found == results.end()) {
      append_result(out, call, no_result);
    } else {
      append_result(out, call, (*found)->text);
      const auto& more = (*found)->blocks;
      blocks.insert(blocks.end(), more.begin(), more.end());
      results.erase(found);
    }
  }
  if (blocks.empty())
    return;
  // A result is text; what it shows is said by the user.
  out += R"(,{"role":"user",)";
  append_openai_content(out, "This is what the tools gave:", blocks);
  out += '}';
}

void append_messages(std::string& out,
                     const std::vector<chat_message_ptr>& messages) {
  out += R"(,"messages":[)";
  auto separator = std::string_view{};
  for (auto i = messages.begin(); i != messages.end(); ++i) {
    const auto& message = **i;
    if (message.role == message_role::tool)
      continue; // written beneath the calls
    out += std::exchange(separator, ",");
    append_message(out, message);
    if (!message.calls.empty())
      append_results(out, message.calls, std::next(i), messages.end());
  }
  out += ']';
}

void append_tools(std::string& out,
                  const std::vector<tool_description>& tools) {
  if (tools.empty())
    return;
  out += R"(,"tools":[)";
  for (const auto& tool : tools) {
    out += &tool == &tools.front() ? "" : ",";
    out += R"({"type":"function","function":{)";
    append_member(out, "name", tool.name);
    out += ',';
    append_member(out, "description", tool.description);
    out += R"(,"parameters":)";
    out += tool.parameters.empty() ? R"({"type":"object","properties":{}})"
                                   : std::string_view{tool.parameters};
    out += "}}";
  }
  out += ']';
}

// The settings as an object; an empty one without the cost of parsing.
caf::expected<json> read_settings(std::string_view text) {
  if (text.empty() || text == "{}")
    return json::object();
  auto settings = parse_object(text);
  if (!settings)
    return make_error(errc::configuration, to_fault(settings.error()).message,
                      "model settings");
  for (auto name : reserved_fields)
    if (settings->contains(name))
      return make_error(errc::configuration,
                        "the field " + std::string{name}
                          + " cannot be set: troupe says it itself",
                        "model settings");
  return settings;
}

void append_settings(std::string& out, const json& settings) {
  for (const auto& [key, value] : settings.items()) {
    if (value.is_null())
      continue;
    out += ',';
    append_json_string(out, key);
    out += ':';
    out += dump_json(value);
  }
}

} // namespace

caf::expected<std::string> encode_openai_body(const model_request& request,
                                              answer_mode mode) {
  auto settings = read_settings(*request.settings_json);
  if (!settings)
    return settings.error();
  auto out = std::string{"{"};
  append_member(out, "model", request.model);
  append_messages(out, request.messages);
  append_tools(out, *request.tools);
  append_settings(out, *settings);
  if (!request.result_schema.empty()
      && !settings->contains("response_format")) {
    out += R"(,"response_format":{"type":"json_schema",)"
           R"("json_schema":{"name":"result","schema":)";
    out += request.result_schema;
    out += "}}";
  }
  if (mode == answer_mode::streamed) {
    out += R"(,"stream":true)";
    if (!settings->contains("stream_options"))
      out += R"(,"stream_options":{"include_usage":true})";
  }
  out += '}';
  return out;
}

} // namespace troupe
