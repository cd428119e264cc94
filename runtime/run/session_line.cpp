#include "troupe/runtime/run/session_line.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/content/media_type.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/timestamp.hpp"
#include "troupe/sandbox/remote/base64.hpp"
#include "troupe/sandbox/sha256.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <memory>
#include <utility>

namespace troupe {

namespace {

using json = nlohmann::ordered_json;

constexpr auto format_version = 1;
constexpr auto kind_names = std::array<std::string_view, 5>{"", "message",
                                                            "state", "intent",
                                                            "summary"};

/// Of a line that is not as it should be; never leaves this file.
struct bad_line {
  std::string what;
};

std::string to_hex(std::string_view bytes) {
  constexpr auto digits = std::string_view{"0123456789abcdef"};
  auto result = std::string{};
  result.reserve(bytes.size() * 2);
  for (auto c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    result += digits[byte >> 4];
    result += digits[byte & 15];
  }
  return result;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  throw bad_line{"a text in hexadecimal has another digit"};
}

std::string from_hex(std::string_view text) {
  if (text.size() % 2 != 0)
    throw bad_line{"a text in hexadecimal is cut"};
  auto result = std::string{};
  result.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2)
    result += static_cast<char>(digit_of(text[i]) * 16 + digit_of(text[i + 1]));
  return result;
}

json name_json(const std::string& name) {
  if (sanitize_utf8(name) == name)
    return name;
  return json{{"hex", to_hex(name)}};
}

const json& member(const json& line, const char* key) {
  auto found = line.find(key);
  if (found == line.end())
    throw bad_line{std::string{"`"} + key + "` is missing"};
  return *found;
}

std::string text_of(const json& line, const char* key) {
  const auto& value = member(line, key);
  if (!value.is_string())
    throw bad_line{std::string{"`"} + key + "` is no text"};
  return value.get<std::string>();
}

uint64_t number_of(const json& line, const char* key) {
  const auto& value = member(line, key);
  if (!value.is_number_unsigned())
    throw bad_line{std::string{"`"} + key + "` is no whole number"};
  return value.get<uint64_t>();
}

std::string name_of(const json& line, const char* key) {
  const auto& value = member(line, key);
  if (value.is_object())
    return from_hex(text_of(value, "hex"));
  return value.is_null() ? std::string{} : text_of(line, key);
}

int64_t time_of(const json& line) {
  auto at = parse_rfc3339(text_of(line, "at"));
  if (!at)
    throw bad_line{to_fault(at.error()).message};
  return *at;
}

void read_part(const json& part, chat_message& out) {
  auto type = text_of(part, "type");
  if (type == "text") {
    out.text += text_of(part, "text");
  } else if (type == "tool_call") {
    out.calls.push_back({text_of(part, "id"),
                         text_of(part, "name"),
                         member(part, "arguments").dump(),
                         {}});
  } else if (type == "tool_result") {
    out.call_id = text_of(part, "id");
    out.tool_name = text_of(part, "name");
    out.text = member(part, "content").dump();
    const auto& error = member(part, "error");
    out.is_error = error.is_boolean() && error.get<bool>();
  } else if (type == "image" || type == "document") {
    auto& block = out.blocks.emplace_back();
    block.media_type = text_of(part, "media_type");
    block.name = text_of(part, "name");
    if (!is_media_type(block.media_type))
      throw bad_line{"`media_type` is none"};
  } else {
    throw bad_line{"there is no content of type \"" + type + "\""};
  }
}

message_role role_of(const json& line) {
  auto name = text_of(line, "role");
  if (name == "user")
    return message_role::user;
  if (name == "assistant")
    return message_role::assistant;
  if (name == "tool")
    return message_role::tool;
  throw bad_line{"no message of a session has the role \"" + name + "\""};
}

std::string read_message(const json& line) {
  auto message = chat_message{};
  message.role = role_of(line);
  message.at = time_of(line);
  const auto& content = member(line, "content");
  if (!content.is_array())
    throw bad_line{"`content` is no array"};
  for (const auto& part : content)
    read_part(part, message);
  return encode_message(message);
}

std::string read_intent(const json& line) {
  auto occurrence = number_of(line, "occurrence");
  if (occurrence > UINT32_MAX)
    throw bad_line{"`occurrence` is too large"};
  return encode_intent(
    {text_of(line, "call_id"), static_cast<uint32_t>(occurrence)});
}

/// The blobs of a record; without bytes where the text has them further up.
std::vector<stored_blob> read_blobs(const json& line) {
  auto result = std::vector<stored_blob>{};
  auto list = line.find("blobs");
  if (list == line.end())
    return result;
  if (!list->is_array() || list->size() > most_blobs)
    throw bad_line{"`blobs` is no array of at most "
                   + std::to_string(most_blobs)};
  for (const auto& item : *list) {
    auto& blob = result.emplace_back();
    blob.digest = text_of(item, "digest");
    blob.size = number_of(item, "size");
    if (!item.contains("data"))
      continue;
    auto bytes = from_base64(text_of(item, "data"));
    if (!bytes || bytes->size() != blob.size
        || sha256_of(*bytes) != blob.digest)
      throw bad_line{"`data` of a blob is not what its digest says"};
    blob.bytes = std::make_shared<const std::string>(std::move(*bytes));
  }
  return result;
}

json blobs_json(const std::vector<stored_blob>& blobs) {
  auto result = json::array();
  for (const auto& blob : blobs) {
    auto& item = result.emplace_back();
    item["digest"] = blob.digest;
    item["size"] = blob.size;
    if (blob.bytes)
      item["data"] = to_base64(*blob.bytes);
  }
  return result;
}

record_kind kind_of(const json& line) {
  auto name = text_of(line, "kind");
  for (size_t i = 1; i < kind_names.size(); ++i)
    if (kind_names[i] == name)
      return static_cast<record_kind>(i);
  throw bad_line{"there is no record of kind \"" + name + "\""};
}

/// The body that the readable part of a line stands for.
std::string read_body(const json& line, record_kind kind) {
  switch (kind) {
    case record_kind::message:
      return read_message(line);
    case record_kind::state:
      return encode_state(member(line, "state").dump());
    case record_kind::intent:
      return read_intent(line);
    case record_kind::summary:
      break;
  }
  return encode_summary({text_of(line, "text"), number_of(line, "keep_from"),
                         number_of(line, "keep_also")});
}

/// Why a body is none of its kind; what is in a store must be readable.
caf::error check_body(const session_record& record) {
  auto error_of = [](auto&& x) {
    return x ? caf::error{} : std::move(x.error());
  };
  const auto& body = record.body;
  switch (record.kind) {
    case record_kind::message:
      return error_of(decode_message(body, record.blobs));
    case record_kind::state:
      return error_of(decode_state(body));
    case record_kind::intent:
      return error_of(decode_intent(body));
    case record_kind::summary:
      break;
  }
  return error_of(decode_summary(body));
}

session_record read_record(const json& line) {
  auto result = session_record{};
  result.seq = number_of(line, "seq");
  result.kind = kind_of(line);
  result.at = time_of(line);
  auto exact = line.find("body");
  result.body = exact == line.end() ? read_body(line, result.kind)
                                    : from_hex(text_of(line, "body"));
  result.blobs = read_blobs(line);
  if (check_body(result))
    throw bad_line{"`body` is no record of its kind"};
  return result;
}

/// Adds what a reader wants to know of a record.
caf::error describe(const session_record& record, json& line) {
  switch (record.kind) {
    case record_kind::message: {
      auto message = decode_message(record.body, record.blobs);
      if (!message)
        return std::move(message.error());
      auto shown = message_json(*message, record.seq);
      line["role"] = std::move(shown["role"]);
      line["content"] = std::move(shown["content"]);
      return {};
    }
    case record_kind::state: {
      auto state = decode_state(record.body);
      if (!state)
        return std::move(state.error());
      line["state"] = json::parse(*state, nullptr, false);
      if (line["state"].is_discarded())
        line["state"] = nullptr;
      return {};
    }
    case record_kind::intent: {
      auto intent = decode_intent(record.body);
      if (!intent)
        return std::move(intent.error());
      line["call_id"] = sanitize_utf8(intent->call_id);
      line["occurrence"] = intent->occurrence;
      return {};
    }
    case record_kind::summary: {
      auto summary = decode_summary(record.body);
      if (!summary)
        return std::move(summary.error());
      line["text"] = sanitize_utf8(summary->text);
      line["keep_from"] = summary->keep_from;
      line["keep_also"] = summary->keep_also;
      return {};
    }
  }
  return {};
}

/// What `read` gives, or what it throws as an error.
template <class Read>
auto or_error(Read read) -> caf::expected<decltype(read())> {
  try {
    return read();
  } catch (const bad_line& why) {
    return make_error(errc::configuration, why.what);
  }
}

} // namespace

json head_line(const session_summary& head) {
  auto line = json{};
  line["troupe_session"] = format_version;
  line["session_id"] = name_json(head.key.session_id);
  line["agent"] = name_json(head.key.agent);
  line["actor_id"] = head.key.actor_id.empty() ? json(nullptr)
                                               : name_json(head.key.actor_id);
  line["records"] = head.records;
  return line;
}

caf::expected<session_summary> read_head_line(const json& line) {
  return or_error([&] {
    if (number_of(line, "troupe_session") != format_version)
      throw bad_line{"this is an export of a later version"};
    auto result = session_summary{};
    result.key = {name_of(line, "agent"), name_of(line, "session_id"),
                  name_of(line, "actor_id")};
    result.records = number_of(line, "records");
    return result;
  });
}

caf::expected<json> record_line(const session_record& record) {
  auto line = json{};
  line["seq"] = record.seq;
  line["kind"] = kind_names[static_cast<size_t>(record.kind)];
  if (auto why = describe(record, line))
    return why;
  line["at"] = rfc3339(record.at);
  if (!record.blobs.empty())
    line["blobs"] = blobs_json(record.blobs);
  auto read = read_record_line(line);
  if (!read || read->body != record.body || read->at != record.at)
    line["body"] = to_hex(record.body);
  return line;
}

caf::expected<session_record> read_record_line(const json& line) {
  return or_error([&] { return read_record(line); });
}

} // namespace troupe
