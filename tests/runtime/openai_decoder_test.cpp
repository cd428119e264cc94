#include "runtime/openai_cases.hpp"

using namespace troupe;
using namespace troupe::test;

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
