#include "troupe/runtime/model/cassette_player.hpp"

#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t max_runs = 10'000;
constexpr size_t shown = 200;

caf::error cassette_error(std::string message, std::string where) {
  return make_error(errc::cassette, std::move(message), std::move(where));
}

size_t count_replies(const model_request& request) {
  auto is_reply = [](const chat_message_ptr& x) {
    return x->role == message_role::assistant;
  };
  return static_cast<size_t>(
    std::count_if(request.messages.begin(), request.messages.end(), is_reply));
}

const chat_message* last_of(const model_request& request, message_role role) {
  auto i = std::find_if(request.messages.rbegin(), request.messages.rend(),
                        [role](const chat_message_ptr& x) {
                          return x->role == role;
                        });
  return i == request.messages.rend() ? nullptr : &**i;
}

json result_of(const chat_message& message) {
  auto value = parse_json(message.text);
  return value ? std::move(*value) : json(sanitize_utf8(message.text));
}

std::string in_quotes(std::string_view text) {
  return '"' + excerpt(text, shown) + '"';
}

// ---- expectations ----------------------------------------------------------

std::string mismatch_of_user(const cassette_expectation& expect,
                             const model_request& request) {
  if (expect.last_user.empty())
    return {};
  auto* message = last_of(request, message_role::user);
  if (message != nullptr
      && message->text.find(expect.last_user) != std::string::npos)
    return {};
  return "expected " + in_quotes(expect.last_user)
         + " in the last user message, which is "
         + (message == nullptr ? "missing" : in_quotes(message->text));
}

bool is_wanted(const cassette_attachment& wanted, const content_block& block) {
  auto fits = [](const std::string& expected, const std::string& found) {
    return expected.empty() || expected == found;
  };
  return fits(wanted.name, block.name)
         && fits(wanted.media_type, block.media_type)
         && fits(wanted.digest, block.digest)
         && wanted.size.value_or(block.size) == block.size;
}

std::string text_of(const std::vector<content_block>& blocks) {
  auto result = std::string{};
  for (const auto& block : blocks)
    result += (result.empty() ? "" : ", ") + describe_block(block);
  return result.empty() ? "nothing" : excerpt(result, shown);
}

std::string mismatch_of_attachments(const cassette_expectation& expect,
                                    const model_request& request) {
  auto* message = last_of(request, message_role::user);
  auto there = message == nullptr ? std::vector<content_block>{}
                                  : message->blocks;
  for (const auto& wanted : expect.attachments) {
    auto is_there = std::any_of(there.begin(), there.end(),
                                [&](const content_block& x) {
                                  return is_wanted(wanted, x);
                                });
    if (!is_there)
      return "expected the attachment " + in_quotes(wanted.name) + " "
             + excerpt(wanted.media_type, shown)
             + " with the last user message, which has " + text_of(there);
  }
  return {};
}

std::string mismatch_of_tool(const cassette_expectation& expect,
                             const model_request& request) {
  if (expect.tool_name.empty() && expect.tool_contains.empty())
    return {};
  auto* message = last_of(request, message_role::tool);
  if (message == nullptr)
    return "expected a tool result, and there is none";
  if (!expect.tool_name.empty() && message->tool_name != expect.tool_name)
    return "expected the last tool result from " + in_quotes(expect.tool_name)
           + ", not from " + in_quotes(message->tool_name);
  if (message->text.find(expect.tool_contains) == std::string::npos)
    return "expected " + in_quotes(expect.tool_contains)
           + " in the last tool result, which is " + in_quotes(message->text);
  return {};
}

std::string names_of(const std::vector<tool_description>& tools) {
  auto result = std::string{};
  for (const auto& tool : tools)
    result += (result.empty() ? "" : ", ") + tool.name;
  return result.empty() ? "none" : excerpt(result, shown);
}

std::string mismatch_of_tools(const cassette_expectation& expect,
                              const model_request& request) {
  for (const auto& name : expect.tools) {
    auto is_offered
      = std::any_of(request.tools->begin(), request.tools->end(),
                    [&](const tool_description& x) { return x.name == name; });
    if (!is_offered)
      return "expected the tool " + in_quotes(name)
             + " to be offered; offered: " + names_of(*request.tools);
  }
  return {};
}

caf::error mismatch(const cassette_exchange& exchange, size_t index,
                    const model_request& request) {
  for (auto check : {mismatch_of_user, mismatch_of_attachments,
                     mismatch_of_tool, mismatch_of_tools})
    if (auto text = check(exchange.expect, request); !text.empty())
      return cassette_error(
        "exchange " + std::to_string(index + 1) + ": " + text, exchange.where);
  return {};
}

// ---- replies ---------------------------------------------------------------

/// What templates see.
json context_of(const model_request& request, size_t reply) {
  auto result = json{{"turn", reply + 1}};
  auto* user = last_of(request, message_role::user);
  result["input"] = user == nullptr ? "" : sanitize_utf8(user->text);
  auto last_results = std::map<std::string, const chat_message*>{};
  for (const auto& message : request.messages)
    if (message->role == message_role::tool)
      last_results[message->tool_name] = &*message;
  result["tool"] = json::object();
  for (const auto& [name, message] : last_results)
    result["tool"][sanitize_utf8(name)] = result_of(*message);
  auto* message = last_of(request, message_role::tool);
  result["last_tool"] = message == nullptr ? json() : result_of(*message);
  return result;
}

bool needs_context(const cassette_reply& reply) {
  if (!reply.is_template)
    return false;
  auto has_tag = [](const cassette_call& call) {
    return call.arguments.find("{{") != std::string::npos;
  };
  return !reply.text.is_literal() || !reply.reasoning.is_literal()
         || std::any_of(reply.calls.begin(), reply.calls.end(), has_tag);
}

caf::error fill_in(ordered_json& value, const json& context) {
  if (value.is_structured()) {
    for (auto& item : value)
      if (auto why = fill_in(item, context))
        return why;
  } else if (value.is_string()) {
    auto text = render_template(value.get_ref<const std::string&>(), context,
                                missing_name::empty);
    if (!text)
      return std::move(text.error());
    value = std::move(*text);
  }
  return {};
}

/// Makes the events of one reply.
class reply_player {
public:
  reply_player(const cassette_reply& reply, size_t index,
               const model_request& request)
    : reply_(reply),
      index_(index) {
    if (needs_context(reply))
      context_ = context_of(request, index);
    events_.reserve(reply.calls.size() + 4); // unless it comes in pieces
  }

  caf::expected<std::vector<model_event>> run() {
    add_text(model_event_kind::reasoning_delta, reply_.reasoning);
    add_text(model_event_kind::text_delta, reply_.text);
    for (auto i = size_t{0}; i < reply_.calls.size() && !failure_; ++i)
      add_call(reply_.calls[i], i);
    if (failure_)
      return std::move(failure_);
    if (reply_.usage)
      add(model_event_kind::usage).usage = *reply_.usage;
    add(model_event_kind::stop).stop = reply_.stop;
    return std::move(events_);
  }

private:
  model_event& add(model_event_kind kind) {
    auto& result = events_.emplace_back();
    result.kind = kind;
    return result;
  }

  void add_text(model_event_kind kind, const template_text& text) {
    if (text.is_literal())
      return add_pieces(kind, text.text());
    auto rendered = text.render(context_, missing_name::empty);
    if (rendered)
      add_pieces(kind, *rendered);
    else
      failure_ = std::move(rendered.error());
  }

  void add_pieces(model_event_kind kind, std::string_view rest) {
    while (!rest.empty()) {
      auto size = reply_.chunk == 0 ? rest.size()
                                    : code_point_offset(rest, reply_.chunk);
      add(kind).text = rest.substr(0, size);
      rest.remove_prefix(size);
    }
  }

  void add_call(const cassette_call& call, size_t position) {
    auto& event = add(model_event_kind::tool_call);
    event.call.id = call.id;
    if (call.id.empty())
      event.call.id = "call_" + std::to_string(index_ + 1) + "_"
                      + std::to_string(position + 1);
    event.call.name = call.name;
    if (call.is_exact)
      add_exact_arguments(call, event.call);
    else
      add_arguments(call, event.call);
  }

  void add_exact_arguments(const cassette_call& call, tool_call& out) {
    if (!reply_.is_template || call.arguments.find("{{") == std::string::npos) {
      (call.is_object ? out.arguments : out.raw) = call.arguments;
      return;
    }
    auto text = render_template(call.arguments, context_, missing_name::empty);
    if (!text)
      failure_ = std::move(text.error());
    else if (parse_object(*text))
      out.arguments = std::move(*text);
    else
      out.raw = std::move(*text);
  }

  void add_arguments(const cassette_call& call, tool_call& out) {
    out.arguments = call.arguments;
    if (!reply_.is_template || call.arguments.find("{{") == std::string::npos)
      return;
    // The reader made this text, within its limits on depth.
    auto value = ordered_json::parse(call.arguments);
    failure_ = fill_in(value, context_);
    out.arguments = value.dump(-1, ' ', false,
                               ordered_json::error_handler_t::replace);
  }

  const cassette_reply& reply_;
  size_t index_;
  json context_; // null unless there are templates
  std::vector<model_event> events_;
  caf::error failure_;
};

cassette_turn play_reply(const cassette_exchange& exchange, size_t index,
                         const model_request& request) {
  const auto& reply = std::get<cassette_reply>(exchange.answer);
  auto result = cassette_turn{reply.delay, reply.chunk_delay, {}, {}};
  auto events = reply_player{reply, index, request}.run();
  if (events)
    result.events = std::move(*events);
  else
    result.failure = cassette_error(to_fault(events.error()).message,
                                    exchange.where);
  return result;
}

void keep_pieces(std::vector<model_event>& events, size_t count) {
  auto end = std::find_if_not(events.begin(), events.end(),
                              [](const auto& x) { return is_piece(x.kind); });
  events.erase(end, events.end());
  if (events.size() > count)
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(count),
                 events.end());
}

// A stream that broke after its first event is not asked for again.
caf::error to_error(const cassette_failure& failure, bool in_stream) {
  auto what = fault{};
  what.kind = failure.kind;
  what.message = failure.message;
  what.status = failure.status;
  what.retry_after = failure.retry_after;
  what.retryable
    = !in_stream
      && (failure.kind == errc::rate_limit || failure.kind == errc::overloaded
          || failure.kind == errc::timeout || failure.kind == errc::network);
  return make_error(std::move(what));
}

bool is_failure(const cassette_exchange& exchange) {
  return std::holds_alternative<cassette_failure>(exchange.answer);
}

} // namespace

cassette_player::cassette_player(std::shared_ptr<const cassette> tape)
  : tape_(std::move(tape)) {
  for (auto i = size_t{0}; i < tape_->exchanges.size(); ++i)
    if (!is_failure(tape_->exchanges[i]))
      replies_.push_back(i);
}

cassette_turn cassette_player::play(const model_request& request) {
  const auto& exchanges = tape_->exchanges;
  auto reply = count_replies(request);
  auto result = cassette_turn{};
  if (reply > replies_.size()) {
    result.failure = past_end(reply);
    return result;
  }
  auto i = reply == 0 ? 0 : replies_[reply - 1] + 1;
  while (i < exchanges.size() && is_failure(exchanges[i])) {
    const auto& exchange = exchanges[i++];
    if (was_played(request.run_id, i - 1))
      continue;
    result.failure = mismatch(exchange, i - 1, request);
    if (result.failure)
      return result;
    mark_played(request.run_id, i - 1);
    return play_failure(std::get<cassette_failure>(exchange.answer), reply,
                        request);
  }
  if (reply == replies_.size())
    result.failure = past_end(reply);
  else
    result.failure = mismatch(exchanges[i], i, request);
  return result.failure ? std::move(result)
                        : play_reply(exchanges[i], reply, request);
}

cassette_turn
cassette_player::play_failure(const cassette_failure& failure, size_t reply,
                              const model_request& request) const {
  auto result = cassette_turn{};
  if (failure.after_chunks > 0 && reply < replies_.size()) {
    result = play_reply(tape_->exchanges[replies_[reply]], reply, request);
    if (result.failure)
      return result;
    keep_pieces(result.events, failure.after_chunks);
  }
  result.failure = to_error(failure, !result.events.empty());
  return result;
}

caf::error cassette_player::past_end(size_t reply) const {
  return cassette_error("the request asks for reply "
                          + std::to_string(reply + 1)
                          + ", past the end of the cassette: exchanges "
                          + std::to_string(tape_->exchanges.size())
                          + ", replies " + std::to_string(replies_.size()),
                        tape_->name);
}

bool cassette_player::was_played(const std::string& run_id,
                                 size_t exchange) const {
  auto i = played_.find(run_id);
  return i != played_.end() && i->second.count(exchange) > 0;
}

void cassette_player::mark_played(const std::string& run_id, size_t exchange) {
  auto [i, is_new] = played_.try_emplace(run_id);
  i->second.insert(exchange);
  if (!is_new)
    return;
  runs_.push_back(run_id);
  if (runs_.size() > max_runs)
    forget(std::string{runs_.front()});
}

void cassette_player::forget(const std::string& run_id) {
  if (played_.erase(run_id) > 0)
    runs_.erase(std::find(runs_.begin(), runs_.end(), run_id));
}

} // namespace troupe
