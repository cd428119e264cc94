#include "troupe/runtime/model/cassette.hpp"

#include "troupe/config/yaml_document.hpp"
#include "troupe/config/yaml_reader.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace troupe {

namespace {

using nlohmann::json;

constexpr auto limits = yaml_limits{16u << 20, 64, 1'000'000};
constexpr auto max_count = std::numeric_limits<uint32_t>::max();

constexpr auto stop_words = std::array<std::string_view, 4>{
  "end_turn", "tool_use", "max_tokens", "refusal"};

// The provider's errors in the order of errc, and a broken connection.
constexpr auto error_words = std::array<std::string_view, 10>{
  "auth",    "rate_limit", "overloaded", "invalid_request", "context_length",
  "timeout", "network",    "protocol",   "cassette",        "disconnect"};

template <class T, class U>
void assign(T& out, std::optional<U> x) {
  if (x)
    out = static_cast<T>(std::move(*x));
}

template_text read_template(const yaml_value& in, bool is_template) {
  auto text = in.text().value_or("");
  if (!is_template)
    return template_text::literal(std::move(text));
  auto result = template_text::compile(text);
  if (result)
    return std::move(*result);
  auto why = to_fault(result.error());
  in.fail(why.message + " at " + why.where + " of the text",
          "`template: false` in the reply takes texts as they are");
  return template_text::literal({});
}

// The strings of a call's arguments are templates; this finds the bad ones.
void check_templates(const json& value, const yaml_value& in) {
  if (value.is_structured()) {
    for (const auto& item : value)
      check_templates(item, in);
  } else if (value.is_string()) {
    auto compiled = template_text::compile(value.get<std::string>());
    if (!compiled)
      in.fail(to_fault(compiled.error()).message);
  }
}

cassette_call read_call(const yaml_value& in, bool is_template) {
  auto result = cassette_call{};
  auto fields = in.fields();
  assign(result.id, fields.get("id").text());
  assign(result.name, fields.require("name").text());
  auto arguments = fields.get("arguments");
  result.is_exact = arguments.is_scalar();
  if (result.is_exact)
    result.arguments = arguments.text().value_or("");
  else if (auto text = arguments.json_object())
    result.arguments = std::move(*text);
  result.is_object = !result.is_exact || parse_object(result.arguments);
  if (result.is_exact && is_template)
    read_template(arguments, true);
  else if (is_template)
    if (auto value = parse_json(result.arguments))
      check_templates(*value, arguments);
  fields.reject_unknown();
  return result;
}

token_usage read_usage(const yaml_value& in) {
  auto result = token_usage{};
  auto fields = in.fields();
  assign(result.input_tokens, fields.get("input_tokens").count());
  assign(result.output_tokens, fields.get("output_tokens").count());
  assign(result.cached_tokens, fields.get("cached_tokens").count());
  fields.reject_unknown();
  return result;
}

stop_reason read_stop(const yaml_value& in, const cassette_reply& reply) {
  auto implied = reply.calls.empty() ? stop_reason::end_turn
                                     : stop_reason::tool_use;
  auto word = in.word(stop_words);
  if (!word)
    return implied;
  auto i = std::find(stop_words.begin(), stop_words.end(), *word);
  return static_cast<stop_reason>(i - stop_words.begin());
}

cassette_reply read_reply(const yaml_value& in) {
  auto result = cassette_reply{};
  auto fields = in.fields();
  assign(result.is_template, fields.get("template").flag());
  result.reasoning = read_template(fields.get("reasoning"), result.is_template);
  result.text = read_template(fields.get("text"), result.is_template);
  for (const auto& call : fields.get("tool_calls").items())
    result.calls.push_back(read_call(call, result.is_template));
  result.stop = read_stop(fields.get("stop"), result);
  if (auto usage = fields.get("usage"))
    result.usage = read_usage(usage);
  assign(result.delay, fields.get("delay").duration());
  assign(result.chunk, fields.get("chunk").count(1, max_count));
  assign(result.chunk_delay, fields.get("chunk_delay").duration());
  fields.reject_unknown();
  return result;
}

cassette_failure read_failure(const yaml_value& in) {
  auto result = cassette_failure{};
  auto fields = in.fields();
  auto kind = fields.require("kind").word(error_words).value_or("disconnect");
  auto is_disconnect = kind == "disconnect";
  result.kind = is_disconnect ? errc::network : errc_from_string(kind);
  result.message = is_disconnect ? "the connection broke"
                                 : "the cassette plays the error " + kind;
  assign(result.message, fields.get("message").text());
  assign(result.status, fields.get("status").count(100, 599));
  assign(result.retry_after, fields.get("retry_after").duration());
  assign(result.after_chunks, fields.get("after_chunks").count());
  fields.reject_unknown();
  return result;
}

cassette_attachment read_attachment(const yaml_value& in) {
  auto result = cassette_attachment{};
  auto fields = in.fields();
  assign(result.name, fields.get("name").text());
  assign(result.media_type, fields.get("media_type").text());
  assign(result.digest, fields.get("digest").text());
  result.size = fields.get("size").count();
  fields.reject_unknown();
  return result;
}

cassette_expectation read_expectation(const yaml_value& in) {
  auto result = cassette_expectation{};
  auto fields = in.fields();
  assign(result.last_user, fields.get("last_user").text());
  assign(result.tools, fields.get("tools").texts());
  for (const auto& one : fields.get("attachments").items())
    result.attachments.push_back(read_attachment(one));
  auto tool = fields.get("last_tool").fields();
  assign(result.tool_name, tool.get("name").text());
  assign(result.tool_contains, tool.get("contains").text());
  tool.reject_unknown();
  fields.reject_unknown();
  return result;
}

cassette_exchange read_exchange(const yaml_value& in) {
  auto result = cassette_exchange{};
  auto fields = in.fields();
  result.where = where(*in.node());
  result.expect = read_expectation(fields.get("expect"));
  auto reply = fields.get("reply");
  auto error = fields.get("error");
  if (static_cast<bool>(reply) == static_cast<bool>(error))
    in.fail("an exchange has either a reply or an error");
  else if (reply)
    result.answer = read_reply(reply);
  else
    result.answer = read_failure(error);
  fields.reject_unknown();
  return result;
}

model_capabilities read_capabilities(const yaml_value& in) {
  auto result = model_capabilities{};
  auto fields = in.fields();
  assign(result.native_structured_output,
         fields.get("native_structured_output").flag());
  assign(result.parallel_tools, fields.get("parallel_tools").flag());
  assign(result.images, fields.get("images").flag());
  assign(result.documents, fields.get("documents").flag());
  assign(result.context_window, fields.get("context_window").count(1));
  fields.reject_unknown();
  return result;
}

caf::expected<cassette> read_cassette(const yaml_node& document,
                                      std::string name) {
  auto reader = yaml_reader{};
  auto fields = reader.root(document).fields();
  auto result = cassette{std::move(name), {}, {}};
  auto version = fields.require("cassette");
  if (auto x = version.count(0, max_count); x && *x != 1)
    version.fail("this version of the format is not known; allowed: 1");
  result.model = read_capabilities(fields.get("model"));
  for (const auto& exchange : fields.require("exchanges").items())
    result.exchanges.push_back(read_exchange(exchange));
  fields.reject_unknown();
  if (auto why = reader.error())
    return why;
  return result;
}

} // namespace

caf::expected<cassette> parse_cassette(std::string_view text,
                                       std::string name) {
  auto document = parse_yaml(text, yaml_source{name, {}, false}, limits);
  if (!document)
    return std::move(document.error());
  return read_cassette(*document, std::move(name));
}

caf::expected<cassette> load_cassette(const std::string& path) {
  auto document = parse_yaml_file(path, limits);
  if (!document)
    return std::move(document.error());
  return read_cassette(*document, path);
}

} // namespace troupe
