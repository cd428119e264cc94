#include "troupe/runtime/model/context_plan.hpp"

#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

constexpr auto bytes_per_token = size_t{4};

// Roles, ids and punctuation.
constexpr auto frame_bytes = size_t{16};

// What providers count for an image of usual size, and for the pages of a
// document by its bytes; a text counts as what it is.
constexpr auto image_bytes = size_t{6000};
constexpr auto document_part = size_t{8};

size_t bytes_of(const content_block& block) {
  if (is_image(block))
    return image_bytes;
  if (is_text(block))
    return frame_bytes + block.size;
  return std::max(image_bytes, block.size / document_part);
}

size_t bytes_of(const chat_message& message) {
  auto result = frame_bytes + message.text.size() + message.reasoning.size()
                + message.call_id.size() + message.tool_name.size();
  for (const auto& block : message.blocks)
    result += bytes_of(block);
  for (const auto& call : message.calls)
    result += frame_bytes + call.id.size() + call.name.size()
              + call.arguments.size() + call.raw.size();
  return result;
}

size_t bytes_from(const std::vector<chat_message_ptr>& messages, size_t first) {
  auto result = size_t{0};
  for (auto i = first; i < messages.size(); ++i)
    result += bytes_of(*messages[i]);
  return result;
}

uint64_t tokens_of(size_t bytes) {
  return bytes / bytes_per_token + (bytes % bytes_per_token > 0 ? 1 : 0);
}

bool is_user(const chat_message_ptr& x) {
  return x->role == message_role::user;
}

/// Where the last group begins, and the last message of the user.
struct landmarks {
  size_t last_group = 0;
  size_t last_user = 0;
  bool has_user = false;
};

landmarks find_landmarks(const std::vector<chat_message_ptr>& messages) {
  auto result = landmarks{};
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i]->role != message_role::tool)
      result.last_group = i;
    if (is_user(messages[i])) {
      result.last_user = i;
      result.has_user = true;
    }
  }
  return result;
}

/// Whether `messages` can be cut before the one at `at`.
bool can_cut(const std::vector<chat_message_ptr>& messages, size_t at,
             const landmarks& marks, cut_rule rule) {
  const auto& next = messages[at];
  if (next->role == message_role::tool || next->record == 0)
    return false; // in the middle of a group, or the log cannot say where
  return rule == cut_rule::summarized || is_user(next)
         || (marks.has_user && marks.last_user < at);
}

std::string_view name_of(message_role role) {
  switch (role) {
    case message_role::system:
      return "system";
    case message_role::user:
      return "user";
    case message_role::assistant:
      return "assistant";
    case message_role::tool:
      break;
  }
  return "result of ";
}

/// How long single pieces of a transcript may be, in code points.
struct piece_limits {
  size_t result = 0;
  size_t other = 0;
};

constexpr auto unabridged = size_t{1} << 30;

constexpr auto stages = std::array{piece_limits{unabridged, unabridged},
                                   piece_limits{2000, unabridged},
                                   piece_limits{500, 4000},
                                   piece_limits{200, 500}};

void append_message(std::string& out, const chat_message& message,
                    const piece_limits& limits) {
  auto is_result = message.role == message_role::tool;
  auto limit = is_result ? limits.result : limits.other;
  if (is_result || !message.text.empty()) {
    out += name_of(message.role);
    out += is_result ? message.tool_name : std::string{};
    out += ": ";
    out += excerpt(message.text, limit);
    out += '\n';
  }
  for (const auto& block : message.blocks)
    out += std::string{name_of(message.role)} + message.tool_name
           + " shows the " + describe_block(block) + '\n';
  for (const auto& call : message.calls)
    out += "assistant calls " + call.name + ' '
           + excerpt(call.raw.empty() ? call.arguments : call.raw, limit)
           + '\n';
}

} // namespace

size_t fixed_bytes(const std::vector<chat_message_ptr>& system,
                   const std::vector<tool_description>& tools) {
  auto result = bytes_from(system, 0);
  for (const auto& tool : tools)
    result += frame_bytes + tool.name.size() + tool.description.size()
              + tool.parameters.size();
  return result;
}

uint64_t estimate_tokens(const std::vector<chat_message_ptr>& messages,
                         const context_use& use) {
  auto by_bytes = tokens_of(use.fixed_bytes + bytes_from(messages, 0));
  if (use.counted_tokens == 0)
    return by_bytes;
  auto since = tokens_of(bytes_from(messages, use.counted_messages));
  return std::max(by_bytes, use.counted_tokens + since);
}

context_cut plan_cut(const std::vector<chat_message_ptr>& messages,
                     const context_use& use, uint64_t target, cut_rule rule) {
  auto marks = find_landmarks(messages);
  auto bytes = use.fixed_bytes + bytes_from(messages, 0);
  // A provider that counts more than we do does so for what is left as well.
  auto scale = static_cast<double>(estimate_tokens(messages, use))
               / static_cast<double>(std::max(bytes, size_t{1}));
  auto result = context_cut{};
  // What has gone by now; an earlier summary is none of it: it comes back.
  auto gone = size_t{0};
  for (size_t i = 0; i < marks.last_group; ++i) {
    auto stays = marks.has_user && i == marks.last_user;
    if (!stays)
      bytes -= bytes_of(*messages[i]);
    if (!stays && summary_text(*messages[i]).empty())
      ++gone;
    if (gone == 0 || !can_cut(messages, i + 1, marks, rule))
      continue;
    result.count = i + 1;
    if (static_cast<double>(bytes) * scale <= static_cast<double>(target))
      break;
  }
  if (marks.has_user && marks.last_user < result.count)
    result.stays = marks.last_user;
  return result;
}

std::vector<chat_message_ptr> apply_cut(std::vector<chat_message_ptr> messages,
                                        const context_cut& cut,
                                        chat_message_ptr summary) {
  auto result = std::vector<chat_message_ptr>{};
  result.reserve(messages.size() - cut.count + 2);
  if (summary)
    result.push_back(std::move(summary));
  if (cut.stays)
    result.push_back(std::move(messages[*cut.stays]));
  auto first = messages.begin() + static_cast<std::ptrdiff_t>(cut.count);
  result.insert(result.end(), std::make_move_iterator(first),
                std::make_move_iterator(messages.end()));
  return result;
}

std::string transcript_of(const std::vector<chat_message_ptr>& messages,
                          size_t count, size_t max_bytes) {
  auto result = std::string{};
  for (const auto& limits : stages) {
    result.clear();
    for (size_t i = 0; i < count; ++i)
      append_message(result, *messages[i], limits);
    if (max_bytes == 0 || result.size() <= max_bytes)
      return result;
  }
  auto first = result.size() - max_bytes;
  auto is_inside = [&] { // of a character
    return first < result.size() && (result[first] & 0xC0) == 0x80;
  };
  while (is_inside())
    ++first;
  return result.substr(first);
}

} // namespace troupe
