#include "troupe/runtime/model/message_record.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/model/cbor.hpp"
#include "troupe/runtime/model/cbor_fields.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

namespace troupe {

namespace {

void write_calls(cbor_writer& out, const std::vector<tool_call>& calls) {
  out.text("c");
  out.array(calls.size());
  for (const auto& call : calls) {
    out.array(4);
    out.text(call.id);
    out.text(call.name);
    out.text(call.arguments);
    out.text(call.raw);
  }
}

void write_blocks(cbor_writer& out, const std::vector<content_block>& blocks) {
  out.text("b");
  out.array(blocks.size());
  for (const auto& block : blocks) {
    out.array(2);
    out.text(block.media_type);
    out.text(block.name);
  }
}

using json = nlohmann::ordered_json;

caf::error damaged() {
  return make_error(errc::storage, "a stored record cannot be read", {},
                    "the store is damaged: restore a backup");
}

std::vector<tool_call> read_calls(cbor_reader& in) {
  auto result = std::vector<tool_call>{};
  auto count = in.array();
  for (uint64_t i = 0; i < count && in.good(); ++i) {
    if (in.array() != 4)
      in.fail();
    auto call = tool_call{};
    call.id = in.text();
    call.name = in.text();
    call.arguments = in.text();
    call.raw = in.text();
    result.push_back(std::move(call));
  }
  return result;
}

std::vector<content_block> read_blocks(cbor_reader& in) {
  auto result = std::vector<content_block>{};
  for (auto left = in.array(); left > 0 && in.good(); --left) {
    if (in.array() != 2)
      in.fail();
    auto& block = result.emplace_back();
    block.media_type = in.text();
    block.name = in.text();
  }
  return result;
}

void read_member(cbor_reader& in, chat_message& out) {
  auto key = in.text();
  if (key == "r") {
    auto role = in.number();
    if (role > static_cast<uint64_t>(message_role::tool))
      in.fail();
    else
      out.role = static_cast<message_role>(role);
  } else if (key == "@") {
    out.at = static_cast<int64_t>(in.number());
  } else if (key == "t") {
    out.text = in.text();
  } else if (key == "c") {
    out.calls = read_calls(in);
  } else if (key == "b") {
    out.blocks = read_blocks(in);
  } else if (key == "i") {
    out.call_id = in.text();
  } else if (key == "n") {
    out.tool_name = in.text();
  } else if (key == "e") {
    out.is_error = in.yes();
  } else {
    in.fail(); // a later version's: its store has a later version too
  }
}

const auto summary_heading
  = std::string{"[Summary of the conversation before this point]\n"};

json parsed_or_text(const std::string& text) {
  auto value = json::parse(text, nullptr, false);
  return value.is_discarded() ? json(sanitize_utf8(text)) : value;
}

} // namespace

std::string encode_message(const chat_message& message) {
  auto result = std::string{};
  result.reserve(message.text.size() + 64);
  auto out = cbor_writer{result};
  out.map(2 + uint64_t{!message.text.empty()} + uint64_t{!message.calls.empty()}
          + uint64_t{!message.blocks.empty()}
          + uint64_t{!message.call_id.empty()}
          + uint64_t{!message.tool_name.empty()} + uint64_t{message.is_error});
  out.text("r");
  out.number(static_cast<uint64_t>(message.role));
  out.text("@");
  out.number(static_cast<uint64_t>(message.at));
  if (!message.text.empty()) {
    out.text("t");
    out.text(message.text);
  }
  if (!message.calls.empty())
    write_calls(out, message.calls);
  if (!message.blocks.empty())
    write_blocks(out, message.blocks);
  if (!message.call_id.empty()) {
    out.text("i");
    out.text(message.call_id);
  }
  if (!message.tool_name.empty()) {
    out.text("n");
    out.text(message.tool_name);
  }
  if (message.is_error) {
    out.text("e");
    out.yes();
  }
  return result;
}

caf::expected<chat_message> decode_message(std::string_view record) {
  auto in = cbor_reader{record};
  auto result = chat_message{};
  auto members = in.map();
  for (uint64_t i = 0; i < members && in.good(); ++i)
    read_member(in, result);
  if (!in.good() || !in.at_end())
    return damaged();
  return result;
}

std::vector<stored_blob> blobs_of(const chat_message& message) {
  auto result = std::vector<stored_blob>{};
  result.reserve(message.blocks.size());
  for (const auto& block : message.blocks)
    result.push_back({block.digest, block.size, block.bytes.pointer()});
  return result;
}

caf::expected<chat_message>
decode_message(std::string_view record, const std::vector<stored_blob>& blobs) {
  auto result = decode_message(record);
  if (!result)
    return result;
  if (result->blocks.size() != blobs.size())
    return damaged();
  for (size_t i = 0; i < blobs.size(); ++i) {
    auto& block = result->blocks[i];
    block.digest = blobs[i].digest;
    block.size = blobs[i].size;
    block.bytes = shared<std::string>{blobs[i].bytes};
  }
  return result;
}

std::string encode_state(std::string_view state_json) {
  auto result = std::string{};
  auto out = cbor_writer{result};
  out.map(1);
  out.text("s");
  out.text(state_json);
  return result;
}

caf::expected<std::string> decode_state(std::string_view record) {
  auto in = cbor_reader{record};
  auto members = in.map();
  auto key = in.text();
  auto result = std::string{in.text()};
  if (members != 1 || key != "s" || !in.good() || !in.at_end())
    return damaged();
  return result;
}

template <class F>
void stored_fields(F& f, call_intent& x) {
  f("i", x.call_id);
  f("o", x.occurrence);
}

template <class F>
void stored_fields(F& f, history_summary& x) {
  f("t", x.text);
  f("f", x.keep_from);
  f("u", x.keep_also);
}

std::string encode_intent(const call_intent& intent) {
  return encode_fields(intent);
}

caf::expected<call_intent> decode_intent(std::string_view record) {
  return decode_fields<call_intent>(record);
}

std::string encode_summary(const history_summary& summary) {
  return encode_fields(summary);
}

caf::expected<history_summary> decode_summary(std::string_view record) {
  return decode_fields<history_summary>(record);
}

chat_message summary_message(const history_summary& summary, int64_t at) {
  auto result = chat_message{};
  result.role = message_role::user;
  result.text = summary_heading + summary.text;
  result.at = at;
  return result;
}

std::string_view summary_text(const chat_message& message) {
  auto text = std::string_view{message.text};
  // What a user says is a record, whatever it begins with.
  auto is_summary = message.role == message_role::user && message.record == 0
                    && !message.temporary
                    && text.substr(0, summary_heading.size())
                         == summary_heading;
  return is_summary ? text.substr(summary_heading.size()) : std::string_view{};
}

nlohmann::ordered_json message_json(const chat_message& message, uint64_t seq) {
  static constexpr const char* roles[] = {"system", "user", "assistant",
                                          "tool"};
  auto content = json::array();
  if (message.role == message_role::tool) {
    content.push_back({{"type", "tool_result"},
                       {"id", message.call_id},
                       {"name", message.tool_name},
                       {"content", parsed_or_text(message.text)},
                       {"error", message.is_error}});
  } else if (!message.text.empty()) {
    content.push_back(
      {{"type", "text"}, {"text", sanitize_utf8(message.text)}});
  }
  for (const auto& block : message.blocks)
    content.push_back(block_json(block));
  for (const auto& call : message.calls)
    content.push_back({{"type", "tool_call"},
                       {"id", call.id},
                       {"name", call.name},
                       {"arguments", parsed_or_text(call.arguments)}});
  auto result = json{};
  result["seq"] = seq;
  result["role"] = roles[static_cast<size_t>(message.role)];
  result["content"] = std::move(content);
  result["at"] = rfc3339(message.at);
  return result;
}

} // namespace troupe
