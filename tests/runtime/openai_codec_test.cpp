#include "support/sample_blocks.hpp"

#include "troupe/sandbox/remote/base64.hpp"

#include "runtime/openai_cases.hpp"

using namespace troupe;
using namespace troupe::test;

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

TEST_CASE("the openai codec sends images and documents as content parts",
          "[openai]") {
  auto asking = message(message_role::user, "look");
  asking.blocks = {image_block(), text_block("# A \"title\""), pdf_block()};
  auto sent = messages_of({asking});
  REQUIRE(sent.size() == 1);
  CHECK(
    sent[0]["content"]
    == json::array({
      {{"type", "text"}, {"text", "look"}},
      {{"type", "image_url"},
       {"image_url", {{"url", "data:image/png;base64," + to_base64(png_bytes())}}}},
      {{"type", "text"},
       {"text", "[document \"notes.md\" (text/markdown, 11 bytes)]\n"
                "# A \"title\""}},
      {{"type", "file"},
       {"file",
        {{"filename", "paper.pdf"},
         {"file_data", "data:application/pdf;base64," + to_base64(pdf_bytes())}}}},
    }));
}

TEST_CASE("a media type out of a broken store adds nothing to a request",
          "[openai]") {
  auto asking = message(message_role::user, "");
  asking.blocks = {pdf_block("a\"b")};
  asking.blocks[0].media_type = "a/b\"}},{\"type\":\"text";
  auto sent = messages_of({asking});
  REQUIRE(sent[0]["content"].size() == 1);
  CHECK(sent[0]["content"][0]["file"]["filename"] == "a\"b");
  auto data = sent[0]["content"][0]["file"]["file_data"].get<std::string>();
  CHECK(data.starts_with("data:application/octet-stream;base64,"));
}

TEST_CASE("the openai codec sends what results show behind the last of them",
          "[openai]") {
  auto first = result_of("c1", "1");
  first.blocks = {image_block()};
  auto sent = messages_of(
    {message(message_role::user, "go"),
     calling({{"c1", "draw", "{}", ""}, {"c2", "draw", "{}", ""}}), first,
     result_of("c2", "2"), message(message_role::assistant, "done")});
  REQUIRE(sent.size() == 6);
  CHECK(sent[2]["role"] == "tool");
  CHECK(sent[2]["content"] == "1");
  CHECK(sent[3]["tool_call_id"] == "c2");
  CHECK(sent[4]["role"] == "user");
  CHECK(sent[4]["content"][0]["type"] == "text");
  CHECK(sent[4]["content"][1]["type"] == "image_url");
  CHECK(sent[5]["role"] == "assistant");
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
