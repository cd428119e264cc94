#include "troupe/runtime/model/openai_chunk.hpp"

#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/model/openai_fields.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <nlohmann/json.hpp>

#include <charconv>
#include <limits>
#include <utility>

namespace troupe {

namespace {

namespace bj = boost::json;

using place = openai_place;
using field = openai_field;

// The calls of Boost.JSON's parser, by its own names.
class chunk_handler {
public:
  static constexpr auto max_object_size = std::numeric_limits<size_t>::max();
  static constexpr auto max_array_size = max_object_size;
  static constexpr auto max_key_size = max_object_size;
  static constexpr auto max_string_size = max_object_size;

  openai_chunk chunk;
  // A tool call whose arguments are JSON itself instead of its text.
  bool has_structured_arguments = false;

  // Forgets one text and keeps its buffers for the next.
  void reset();

  // Settles what no single field decides.
  void finish();

  bool on_document_begin(bj::error_code&) {
    return true;
  }

  bool on_document_end(bj::error_code&) {
    return true;
  }

  bool on_object_begin(bj::error_code&) {
    return open();
  }

  bool on_object_end(size_t, bj::error_code&) {
    return close();
  }

  bool on_array_begin(bj::error_code&) {
    return open();
  }

  bool on_array_end(size_t, bj::error_code&) {
    return close();
  }

  bool on_key_part(bj::string_view piece, size_t, bj::error_code&) {
    key_.append(piece.data(), piece.size());
    return true;
  }

  bool on_key(bj::string_view piece, size_t, bj::error_code&) {
    auto key = std::string_view{piece.data(), piece.size()};
    if (!key_.empty()) {
      key_ += key;
      key = key_;
    }
    rule_ = &openai_rule_for(places_.back(), key);
    key_.clear();
    return true;
  }

  bool on_string_part(bj::string_view piece, size_t, bj::error_code&) {
    if (auto* text = target())
      text->append(piece.data(), piece.size());
    return true;
  }

  bool on_string(bj::string_view piece, size_t size, bj::error_code& ec) {
    return on_string_part(piece, size, ec);
  }

  bool on_number_part(bj::string_view, bj::error_code&) {
    return true;
  }

  bool on_int64(int64_t value, bj::string_view, bj::error_code&) {
    return take_number(value);
  }

  bool on_uint64(uint64_t, bj::string_view, bj::error_code&) {
    return true; // beyond any count of tokens
  }

  bool on_double(double value, bj::string_view, bj::error_code&) {
    constexpr auto exact = 9007199254740992.0; // 2^53
    if (value >= 0 && value <= exact)
      take_number(static_cast<int64_t>(value));
    return true;
  }

  bool on_bool(bool, bj::error_code&) {
    return true;
  }

  bool on_null(bj::error_code&) {
    return true;
  }

  bool on_comment_part(bj::string_view, bj::error_code&) {
    return true;
  }

  bool on_comment(bj::string_view, bj::error_code&) {
    return true;
  }

private:
  bool open();

  bool close();

  bool take_number(int64_t value);

  // The text that the current value belongs to, or null.
  std::string* target();

  std::string key_;
  std::string other_reasoning_;
  std::string object_;
  std::string note_;
  std::vector<place> places_;
  const openai_rule* rule_ = nullptr;
};

void chunk_handler::reset() {
  chunk.has_choice = false;
  chunk.text.clear();
  chunk.reasoning.clear();
  chunk.refusal.clear();
  chunk.finish_reason.clear();
  chunk.calls.clear();
  chunk.usage.reset();
  chunk.is_error = false;
  chunk.complaint = {};
  has_structured_arguments = false;
  key_.clear();
  other_reasoning_.clear();
  object_.clear();
  note_.clear();
  places_.clear();
}

bool chunk_handler::open() {
  auto next = places_.empty() ? place::root : rule_->opens;
  if (next == place::choice && std::exchange(chunk.has_choice, true))
    next = place::ignored; // one answer is asked for
  else if (next == place::call)
    chunk.calls.emplace_back();
  else if (next == place::arguments)
    has_structured_arguments = true;
  else if (next == place::error)
    chunk.is_error = true;
  places_.push_back(next);
  rule_ = &openai_rule_for(next, {});
  return true;
}

bool chunk_handler::close() {
  places_.pop_back();
  if (!places_.empty())
    rule_ = &openai_rule_for(places_.back(), {});
  return true;
}

bool chunk_handler::take_number(int64_t value) {
  auto usage = [this]() -> token_usage& {
    return chunk.usage ? *chunk.usage : chunk.usage.emplace();
  };
  auto count = value > 0 ? static_cast<uint64_t>(value) : 0;
  switch (rule_->value) {
    case field::call_index:
      chunk.calls.back().index = value;
      break;
    case field::input_tokens:
      usage().input_tokens = count;
      break;
    case field::output_tokens:
      usage().output_tokens = count;
      break;
    case field::cached_tokens:
      usage().cached_tokens = count;
      break;
    case field::error_code:
      chunk.complaint.status = value;
      break;
    default:
      break;
  }
  return true;
}

std::string* chunk_handler::target() {
  switch (rule_->value) {
    case field::text:
      return &chunk.text;
    case field::reasoning:
      return &other_reasoning_;
    case field::reasoning_content:
      return &chunk.reasoning;
    case field::refusal:
      return &chunk.refusal;
    case field::finish_reason:
      return &chunk.finish_reason;
    case field::call_id:
      return &chunk.calls.back().id;
    case field::call_name:
      return &chunk.calls.back().name;
    case field::call_arguments:
      return &chunk.calls.back().arguments;
    case field::object:
      return &object_;
    case field::note:
      return &note_;
    case field::error_message:
      return &chunk.complaint.message;
    case field::error_code:
      return &chunk.complaint.code;
    case field::error_type:
      return &chunk.complaint.type;
    default:
      return nullptr;
  }
}

void chunk_handler::finish() {
  auto& said = chunk.complaint;
  if (chunk.reasoning.empty())
    chunk.reasoning.swap(other_reasoning_);
  if (object_ == "error" || !said.message.empty())
    chunk.is_error = true;
  if (said.message.empty())
    said.message = note_;
  if (said.status == 0)
    std::from_chars(said.code.data(), said.code.data() + said.code.size(),
                    said.status);
}

// Some servers send arguments as an object. Rare, so the whole text is read
// once more for them.
void read_structured_arguments(std::string_view text, openai_chunk& chunk) {
  auto tree = parse_json(text);
  if (!tree)
    return;
  const auto empty = nlohmann::json{};
  auto at = [&](const nlohmann::json& from, const char* path) {
    auto where = nlohmann::json::json_pointer{path};
    return from.contains(where) ? from[where] : empty;
  };
  auto calls = at(*tree, "/choices/0/delta/tool_calls");
  if (calls.is_null())
    calls = at(*tree, "/choices/0/message/tool_calls");
  auto piece = chunk.calls.begin();
  for (const auto& call : calls) {
    if (!call.is_object() || piece == chunk.calls.end())
      continue;
    auto arguments = at(call, "/function/arguments");
    if (arguments.is_structured())
      piece->arguments = dump_json(arguments);
    ++piece;
  }
}

bj::parse_options options() {
  auto result = bj::parse_options{};
  result.max_depth = 64;
  // A server may send half a character in each of two chunks.
  result.allow_invalid_utf8 = true;
  return result;
}

} // namespace

struct openai_chunk_parser::impl {
  bj::basic_parser<chunk_handler> parser{options()};
};

openai_chunk_parser::openai_chunk_parser() : impl_(std::make_unique<impl>()) {
  // nop
}

openai_chunk_parser::~openai_chunk_parser() = default;

const openai_chunk* openai_chunk_parser::parse(std::string_view json) {
  auto first = json.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || json[first] != '{')
    return nullptr;
  auto& parser = impl_->parser;
  auto& handler = parser.handler();
  parser.reset();
  handler.reset();
  auto ec = bj::error_code{};
  auto size = parser.write_some(false, json.data(), json.size(), ec);
  if (ec || size != json.size())
    return nullptr;
  handler.finish();
  if (handler.has_structured_arguments)
    read_structured_arguments(json, handler.chunk);
  return &handler.chunk;
}

} // namespace troupe
