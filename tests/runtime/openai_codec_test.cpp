#include "support/catch.hpp"

#include "troupe/runtime/model/provider_codec.hpp"

#include <nlohmann/json.hpp>

using namespace std::chrono_literals;
using namespace troupe;
using nlohmann::json;

namespace {

std::unique_ptr<provider_codec>
make_codec(const std::string& base_url = "http://127.0.0.1:1/v1") {
  auto settings = provider_settings{};
  settings.base_url = base_url;
  settings.api_key = secret{"sk-very-secret"};
  return make_openai_codec(settings);
}

chat_message message(message_role role, const std::string& text) {
  auto result = chat_message{};
  result.role = role;
  result.text = text;
  return result;
}

chat_message calling(std::vector<tool_call> calls) {
  auto result = message(message_role::assistant, "");
  result.calls = std::move(calls);
  return result;
}

chat_message result_of(const std::string& id, const std::string& text) {
  auto result = message(message_role::tool, text);
  result.call_id = id;
  return result;
}

model_request request_of(const std::vector<chat_message>& messages) {
  auto result = model_request{};
  result.model = "gpt-5";
  for (const auto& x : messages)
    result.messages.emplace_back(x);
  return result;
}

std::string body_of(const model_request& request,
                    answer_mode mode = answer_mode::whole) {
  auto encoded = make_codec()->encode(request, mode);
  REQUIRE(encoded);
  return encoded->body;
}

json messages_of(const std::vector<chat_message>& messages) {
  return json::parse(body_of(request_of(messages)))["messages"];
}

errc encode_error(const std::string& settings) {
  auto request = request_of({});
  request.settings_json = shared{settings};
  auto encoded = make_codec()->encode(request, answer_mode::whole);
  return encoded ? errc::internal : to_fault(encoded.error()).kind;
}

std::string name_of(stop_reason why) {
  switch (why) {
    case stop_reason::end_turn:
      return "end_turn";
    case stop_reason::tool_use:
      return "tool_use";
    case stop_reason::max_tokens:
      return "max_tokens";
    default:
      return "refusal";
  }
}

std::string call_text(const tool_call& call) {
  return call.id + ' ' + call.name + ' ' + call.arguments
         + (call.raw.empty() ? "" : " raw:" + call.raw);
}

std::string usage_text(const token_usage& usage) {
  return std::to_string(usage.input_tokens) + '/'
         + std::to_string(usage.output_tokens) + '/'
         + std::to_string(usage.cached_tokens);
}

// The events as lines, with neighbouring deltas joined.
std::string lines_of(const std::vector<model_event>& events) {
  auto result = std::string{};
  auto last = std::string{};
  auto add = [&](const std::string& kind, const std::string& text) {
    auto joined = kind == last && (kind == "text" || kind == "reasoning");
    result += joined ? text : (last.empty() ? "" : "\n") + kind + ": " + text;
    last = kind;
  };
  for (const auto& event : events) {
    switch (event.kind) {
      case model_event_kind::text_delta:
        add("text", event.text);
        break;
      case model_event_kind::reasoning_delta:
        add("reasoning", event.text);
        break;
      case model_event_kind::tool_call:
        add("call", call_text(event.call));
        break;
      case model_event_kind::usage:
        add("usage", usage_text(event.usage));
        break;
      case model_event_kind::stop:
        add("stop", name_of(event.stop));
        break;
      default:
        add("unexpected", event.text);
    }
  }
  return result;
}

struct decoded {
  std::string lines;
  fault error;
  bool failed = false;
};

decoded decode(const std::string& body, size_t chunk = 1 << 20) {
  auto decoder = make_codec()->make_decoder();
  auto events = std::vector<model_event>{};
  auto err = caf::error{};
  for (size_t pos = 0; !err && pos < body.size(); pos += chunk)
    err = decoder->feed(std::string_view{body}.substr(pos, chunk), events);
  if (!err)
    err = decoder->finish(events);
  return {lines_of(events), err ? to_fault(err) : fault{}, bool(err)};
}

// A stream of deltas, each a JSON object, then what ends it.
std::string stream_of(const std::vector<std::string>& deltas,
                      const std::string& finish = "stop") {
  auto result = std::string{};
  for (const auto& delta : deltas)
    result += R"(data: {"choices":[{"index":0,"delta":)" + delta
              + R"(,"finish_reason":null}],"usage":null})" + "\n\n";
  result += R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":")"
            + finish + "\"}]}\n\ndata: [DONE]\n\n";
  return result;
}

std::string calls_of(const std::vector<std::string>& pieces) {
  auto deltas = std::vector<std::string>{};
  for (const auto& piece : pieces)
    deltas.push_back(R"({"tool_calls":[)" + piece + "]}");
  return decode(stream_of(deltas, "tool_calls")).lines;
}

fault error_of(int status, const std::string& body,
               const std::string& lines = "") {
  return make_codec()->error_of({status, lines}, body);
}

} // namespace

TEST_CASE("the openai codec joins its path to any base url", "[openai]") {
  auto url = [](const std::string& base) {
    return make_codec(base)->encode(request_of({}), answer_mode::whole)->url;
  };
  CHECK(url("http://h/v1") == "http://h/v1/chat/completions");
  CHECK(url("http://h/v1//") == "http://h/v1/chat/completions");
  CHECK(url("https://u:p@h:8/a?v=2")
        == "https://u:p@h:8/a/chat/completions?v=2");
  CHECK(url("http://h#x") == "http://h/chat/completions");
  CHECK(url("") == "https://api.openai.com/v1/chat/completions");
}

TEST_CASE("the openai codec refuses a base url that is not http", "[openai]") {
  auto encoded = make_codec("file:///etc/passwd")
                   ->encode(request_of({}), answer_mode::whole);
  REQUIRE_FALSE(encoded);
  CHECK(to_fault(encoded.error()).kind == errc::configuration);
}

TEST_CASE("the openai codec writes the same bytes for the same request",
          "[openai]") {
  auto request = request_of({message(message_role::system, "Be brief."),
                             message(message_role::user, "Say \"hi\"\n")});
  request.tools = shared{std::vector<tool_description>{
    {"read", "Reads.", R"({"type":"object"})"}, {"add", "Adds.", ""}}};
  request.settings_json = shared{std::string{R"({"temperature":0.5,"a":[1]})"}};
  request.result_schema = R"({"type":"object"})";
  CHECK(
    body_of(request, answer_mode::streamed)
    == R"({"model":"gpt-5","messages":[)"
       R"({"role":"system","content":"Be brief."},)"
       R"({"role":"user","content":"Say \"hi\"\n"}],"tools":[)"
       R"({"type":"function","function":{"name":"read","description":"Reads.",)"
       R"("parameters":{"type":"object"}}},)"
       R"({"type":"function","function":{"name":"add","description":"Adds.",)"
       R"("parameters":{"type":"object","properties":{}}}}],)"
       R"("a":[1],"temperature":0.5,)"
       R"("response_format":{"type":"json_schema","json_schema":)"
       R"({"name":"result","schema":{"type":"object"}}},)"
       R"("stream":true,"stream_options":{"include_usage":true}})");
}

TEST_CASE("the openai codec lets settings replace its optional fields",
          "[openai]") {
  auto request = request_of({});
  request.settings_json = shared{std::string{
    R"({"stream_options":null,"response_format":{"type":"text"}})"}};
  request.result_schema = "{}";
  auto body = json::parse(body_of(request, answer_mode::streamed));
  CHECK_FALSE(body.contains("stream_options"));
  CHECK(body["response_format"] == json{{"type", "text"}});
}

TEST_CASE("the openai codec refuses settings it cannot merge", "[openai]") {
  for (auto text : {"[]", "nonsense", R"({"model":"x"})", R"({"n":2})",
                    R"({"messages":[]})", R"({"stream":false})"})
    CHECK(encode_error(text) == errc::configuration);
}

TEST_CASE("the openai codec sends calls and their results, not reasoning",
          "[openai]") {
  auto asking = calling({{"c1", "add", R"({"a":1})", ""}});
  asking.reasoning = "private";
  auto sent = messages_of(
    {message(message_role::user, "go"), asking, result_of("c1", "5")});
  CHECK(sent == json::parse(R"([
    {"role":"user","content":"go"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c1",
      "type":"function","function":{"name":"add","arguments":"{\"a\":1}"}}]},
    {"role":"tool","tool_call_id":"c1","content":"5"}])"));
}

TEST_CASE("the openai codec keeps an empty answer an empty string",
          "[openai]") {
  auto sent = messages_of({message(message_role::assistant, "")});
  CHECK(sent[0]["content"] == "");
}

TEST_CASE("the openai codec gives each call one result in call order",
          "[openai]") {
  auto sent = messages_of(
    {calling(
       {{"a", "x", "{}", ""}, {"b", "x", "{}", ""}, {"c", "x", "{}", ""}}),
     result_of("c", "third"), result_of("stray", "?"), result_of("a", "first"),
     message(message_role::user, "next"), result_of("a", "again")});
  REQUIRE(sent.size() == 5);
  CHECK(sent[1]["content"] == "first");
  CHECK(sent[2]["tool_call_id"] == "b");
  CHECK(sent[2]["content"].get<std::string>().find("no result")
        != std::string::npos);
  CHECK(sent[3]["content"] == "third");
  CHECK(sent[4]["content"] == "next");
}

TEST_CASE("the openai codec tells results of equal ids apart by order",
          "[openai]") {
  auto sent
    = messages_of({calling({{"a", "x", "{}", ""}, {"a", "y", "{}", ""}}),
                   result_of("a", "one"), result_of("a", "two")});
  CHECK(sent[1]["content"] == "one");
  CHECK(sent[2]["content"] == "two");
}

TEST_CASE("the openai codec sends invented tool names a provider accepts",
          "[openai]") {
  auto sent = messages_of({calling({{"a", "my tool!\xFF", "{}", ""},
                                    {"b", "", "{}", ""},
                                    {"c", std::string(99, 'x'), "{}", ""}})});
  auto name = [&](size_t i) {
    return sent[0]["tool_calls"][i]["function"]["name"].get<std::string>();
  };
  CHECK(name(0) == "my_tool__");
  CHECK(name(1) == "unknown");
  CHECK(name(2) == std::string(64, 'x'));
}

TEST_CASE("the openai codec escapes any bytes into valid JSON", "[openai]") {
  auto text = std::string{"a\0b\x1f\x7f\"\\/\t\r\n\b\f", 14};
  text += "gr\xC3\xBC\xC3\x9F \xF0\x9F\x8C\x8D";
  auto sent = messages_of({message(message_role::user, text)});
  CHECK(sent[0]["content"] == text);
  sent = messages_of({message(message_role::user, "cut \xF0\x9F\x8C end\xFF")});
  CHECK(sent[0]["content"] == "cut \xEF\xBF\xBD end\xEF\xBF\xBD");
}

TEST_CASE("the openai decoder gives texts, usage and the stop", "[openai]") {
  auto body = stream_of({R"({"role":"assistant","content":""})",
                         R"({"reasoning_content":"Hm"})",
                         R"({"reasoning":"m.","reasoning_content":null})",
                         R"({"content":"Hel"})", R"({"content":"lo"})"});
  body.insert(body.rfind("data: [DONE]"),
              R"(data: {"choices":[],"usage":{"prompt_tokens":10,)"
              R"("completion_tokens":5,"total_tokens":15,)"
              R"("prompt_tokens_details":{"cached_tokens":4}}})"
              "\n\n");
  auto expected = "reasoning: Hmm.\ntext: Hello\nusage: 10/5/4\nstop: end_turn";
  for (auto chunk : {size_t{1}, size_t{3}, size_t{64}, body.size()})
    CHECK(decode(body, chunk).lines == expected);
}

TEST_CASE("the openai decoder gives the same events whole and streamed",
          "[openai]") {
  auto streamed = stream_of(
    {R"({"reasoning_content":"Think."})", R"({"content":"Two "})",
     R"({"content":"calls."})",
     R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":""}}]})",
     R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]})",
     R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"sub","arguments":"{}"}},{"index":0,"function":{"arguments":":1}"}}]})"},
    "tool_calls");
  streamed.insert(streamed.rfind("data: [DONE]"),
                  "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,"
                  "\"completion_tokens\":2}}\n\n");
  auto whole = std::string{
    R"({"choices":[{"finish_reason":"tool_calls","message":{)"
    R"("role":"assistant","content":"Two calls.","reasoning_content":"Think.",)"
    R"("refusal":null,"tool_calls":[{"id":"a","type":"function","function":{)"
    R"("name":"add","arguments":"{\"x\":1}"}},{"id":"b","type":"function",)"
    R"("function":{"name":"sub","arguments":"{}"}}]}}],)"
    R"("usage":{"prompt_tokens":1,"completion_tokens":2}})"};
  auto expected = "reasoning: Think.\ntext: Two calls.\ncall: a add {\"x\":1}\n"
                  "call: b sub {}\nusage: 1/2/0\nstop: tool_use";
  for (auto chunk : {size_t{1}, size_t{7}, size_t{1000}}) {
    CHECK(decode(streamed, chunk).lines == expected);
    CHECK(decode(whole, chunk).lines == expected);
  }
}

TEST_CASE("the openai decoder keeps a slot for each parallel call",
          "[openai]") {
  SECTION("a name comes late") {
    CHECK(calls_of({R"({"index":0,"id":"a","function":{"arguments":"{"}})",
                    R"({"index":0,"function":{"name":"f","arguments":"}"}})"})
          == "call: a f {}\nstop: tool_use");
  }
  SECTION("no index is given") {
    CHECK(calls_of({R"({"id":"a","function":{"name":"f","arguments":"{"}})",
                    R"({"function":{"arguments":"}"}})",
                    R"({"id":"b","function":{"name":"g","arguments":"{}"}})"})
          == "call: a f {}\ncall: b g {}\nstop: tool_use");
  }
  SECTION("neither index nor id is given") {
    CHECK(calls_of({R"({"function":{"name":"f","arguments":"{}"}})",
                    R"({"function":{"name":"f","arguments":"{}"}})"})
          == "call: call_1 f {}\ncall: call_2 f {}\nstop: tool_use");
  }
  SECTION("all calls have one index") {
    CHECK(
      calls_of(
        {R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})",
         R"({"index":0,"id":"b","function":{"name":"g","arguments":"{}"}})"})
      == "call: a f {}\ncall: b g {}\nstop: tool_use");
  }
  SECTION("id and name come with every piece") {
    CHECK(
      calls_of(
        {R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}})",
         R"({"index":0,"id":"a","function":{"name":"f","arguments":":1}"}})"})
      == "call: a f {\"x\":1}\nstop: tool_use");
  }
}

TEST_CASE("the openai decoder makes call ids unique in a message", "[openai]") {
  CHECK(calls_of({R"({"index":0,"id":"a","function":{"name":"f"}})",
                  R"({"index":1,"id":"a","function":{"name":"g"}})",
                  R"({"index":2,"id":"a_2","function":{"name":"h"}})"})
        == "call: a f {}\ncall: a_2 g {}\ncall: a_2_2 h {}\nstop: tool_use");
  CHECK(calls_of({R"({"id":"a","function":{"name":"f","arguments":"{}"}})",
                  R"({"id":"a","function":{"name":"f","arguments":"{}"}})"})
        == "call: a f {}\ncall: a_2 f {}\nstop: tool_use");
}

TEST_CASE("the openai decoder reads missing arguments as an empty object",
          "[openai]") {
  for (auto arguments : {R"(,"arguments":"")", R"(,"arguments":null)", "",
                         R"(,"arguments":" ")", R"(,"arguments":"null")"}) {
    auto piece = R"({"id":"a","function":{"name":"f")" + std::string{arguments}
                 + "}}";
    CHECK(calls_of({piece}) == "call: a f {}\nstop: tool_use");
  }
}

TEST_CASE("the openai decoder keeps what is no object as raw text",
          "[openai]") {
  CHECK(calls_of({R"({"id":"a","function":{"name":"f","arguments":"[1]"}})"})
        == "call: a f {} raw:[1]\nstop: tool_use");
  CHECK(
    calls_of({R"({"id":"a","function":{"name":"f","arguments":"{\"x\":"}})"})
    == "call: a f {} raw:{\"x\":\nstop: tool_use");
}

TEST_CASE("the openai decoder accepts arguments that are an object",
          "[openai]") {
  CHECK(calls_of(
          {R"({"id":"a","function":{"name":"f","arguments":{"x":[1,"y"]}}})"})
        == "call: a f {\"x\":[1,\"y\"]}\nstop: tool_use");
}

TEST_CASE("the openai decoder refuses more calls than a turn can have",
          "[openai]") {
  auto pieces = std::string{};
  for (auto i = 0; i < 2000; ++i)
    pieces += (i == 0 ? "" : ",") + std::string{R"({"index":)"}
              + std::to_string(i) + "}";
  CHECK(decode(stream_of({R"({"tool_calls":[)" + pieces + "]}"})).error.kind
        == errc::protocol);
}

TEST_CASE("the openai decoder tells why the model stopped", "[openai]") {
  auto lines = [](const std::string& finish, const std::string& delta) {
    return decode(stream_of({delta}, finish)).lines;
  };
  CHECK(lines("stop", R"({"content":"x"})") == "text: x\nstop: end_turn");
  CHECK(lines("length", R"({"content":"x"})") == "text: x\nstop: max_tokens");
  CHECK(lines("content_filter", "{}") == "stop: refusal");
  CHECK(lines("stop", R"({"refusal":"No."})") == "text: No.\nstop: refusal");
  CHECK(lines("stop", R"({"tool_calls":[{"id":"a","function":{"name":"f"}}]})")
        == "call: a f {}\nstop: tool_use");
}

TEST_CASE("the openai decoder reads content that comes in parts", "[openai]") {
  CHECK(
    decode(stream_of({R"({"content":[{"type":"text","text":"Hi"}]})"})).lines
    == "text: Hi\nstop: end_turn");
}

TEST_CASE("the openai decoder ignores choices that nobody asked for",
          "[openai]") {
  CHECK(decode(R"({"choices":[{"message":{"content":"one"}},)"
               R"({"message":{"content":"two"}}]})")
          .lines
        == "text: one\nstop: end_turn");
}

TEST_CASE("the openai decoder calls a stream without an end truncated",
          "[openai]") {
  auto whole = stream_of({R"({"content":"Hel"})", R"({"content":"lo"})"});
  auto cut = whole.substr(0, whole.find("lo"));
  CHECK(decode(cut).failed);
  auto no_finish = whole.substr(0, whole.rfind("data: {"));
  auto result = decode(no_finish);
  CHECK(result.lines == "text: Hello");
  CHECK(result.error.kind == errc::network);
}

TEST_CASE("the openai decoder accepts an end by either sign", "[openai]") {
  auto whole = stream_of({R"({"content":"Hi"})"});
  auto expected = "text: Hi\nstop: end_turn";
  CHECK(decode(whole.substr(0, whole.rfind("data: [DONE]"))).lines == expected);
  auto no_finish = whole;
  no_finish.erase(no_finish.rfind("data: {"),
                  whole.rfind("data: [") - whole.rfind("data: {"));
  CHECK(decode(no_finish).lines == expected);
}

TEST_CASE("the openai decoder refuses an answer that says nothing",
          "[openai]") {
  CHECK(decode("").error.kind == errc::network);
  CHECK(decode("data: [DONE]\n\n").error.kind == errc::protocol);
  CHECK(decode("{}").error.kind == errc::protocol);
  CHECK(decode(R"({"choices":[]})").error.kind == errc::protocol);
}

TEST_CASE("the openai decoder refuses what is not JSON", "[openai]") {
  auto said = decode("data: {\"choices\":[\n\n");
  CHECK(said.error.kind == errc::protocol);
  CHECK(said.error.message.find("{\"choices\":[") != std::string::npos);
  CHECK(decode("data: [1]\n\n").error.kind == errc::protocol);
  CHECK(decode(R"({"choices":)").error.kind == errc::protocol);
  CHECK(decode("data: " + std::string(100000, '[') + "\n\n").error.kind
        == errc::protocol);
  CHECK(decode("<html>502</html>").failed);
}

TEST_CASE("the openai decoder reports an error inside the stream", "[openai]") {
  auto body = stream_of({R"({"content":"Hi"})"});
  body.insert(body.rfind("data: {"),
              "data: {\"error\":{\"message\":\"Too busy, sk-very-secret\","
              "\"type\":\"server_error\",\"code\":503}}\n\n");
  auto result = decode(body);
  CHECK(result.lines == "text: Hi");
  CHECK(result.error.kind == errc::overloaded);
  CHECK(result.error.retryable);
  CHECK(result.error.status == 503);
  CHECK(result.error.message == "Too busy, ***");
}

TEST_CASE("the openai decoder knows every form of an error", "[openai]") {
  auto kind = [](const std::string& body) { return decode(body).error.kind; };
  CHECK(kind(R"({"error":"rate_limit"})") == errc::protocol);
  CHECK(kind(R"({"error":{"code":"rate_limit_exceeded"}})")
        == errc::rate_limit);
  CHECK(kind(R"({"object":"error","message":"no","code":400})")
        == errc::invalid_request);
  CHECK(kind("event: error\ndata: {\"message\":\"no\"}\n\n") == errc::protocol);
  CHECK(kind(stream_of({R"({"content":"x"})"}, "error")) == errc::protocol);
}

TEST_CASE("the openai codec maps each status to its kind", "[openai]") {
  auto kind = [](int status) { return error_of(status, "").kind; };
  CHECK(kind(401) == errc::auth);
  CHECK(kind(403) == errc::auth);
  CHECK(kind(429) == errc::rate_limit);
  CHECK(kind(503) == errc::overloaded);
  CHECK(kind(529) == errc::overloaded);
  CHECK(kind(400) == errc::invalid_request);
  CHECK(kind(404) == errc::invalid_request);
  CHECK(kind(422) == errc::invalid_request);
  CHECK(kind(408) == errc::timeout);
  CHECK(kind(504) == errc::timeout);
  CHECK(kind(302) == errc::protocol);
}

TEST_CASE("the openai codec says what the provider said", "[openai]") {
  auto what = error_of(429, R"({"error":{"message":"Slow down"}})",
                       "Retry-After: 3\r\n");
  CHECK(what.message == "Slow down");
  CHECK(what.status == 429);
  CHECK(what.retryable);
  CHECK(what.retry_after == 3s);
  CHECK(what.where == "http://127.0.0.1:1/v1/chat/completions");
  CHECK(error_of(422, R"({"detail":"bad"})").message == "bad");
  CHECK(error_of(500, "").message == "HTTP status 500");
}

TEST_CASE("the openai codec knows an account without credit", "[openai]") {
  auto body = R"({"error":{"message":"x","type":"insufficient_quota"}})";
  CHECK(error_of(429, body).kind == errc::rate_limit);
  CHECK_FALSE(error_of(429, body).retryable);
}

TEST_CASE("the openai codec knows a conversation that is too long",
          "[openai]") {
  CHECK(error_of(400, R"({"error":{"code":"context_length_exceeded"}})").kind
        == errc::context_length);
  CHECK(error_of(400, R"({"error":{"message":"This model's Maximum Context )"
                      R"(Length is 8192 tokens"}})")
          .kind
        == errc::context_length);
  CHECK(error_of(500, R"({"error":{"message":"context window"}})").kind
        == errc::overloaded);
}

TEST_CASE("the openai codec hides keys in what a provider said", "[openai]") {
  CHECK(
    error_of(401, R"({"error":{"message":"bad key sk-very-secret!"}})").message
    == "bad key ***!");
  CHECK(error_of(401, "got Authorization: Bearer abcdefgh.123, sk-proj-12345")
          .message
        == "got Authorization: Bearer ***, ***");
}

TEST_CASE("the openai codec bounds what it quotes", "[openai]") {
  auto what = error_of(502, std::string(100000, 'x'));
  CHECK(what.message.size() < 600);
}
