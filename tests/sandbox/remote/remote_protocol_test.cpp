#include "troupe/sandbox/remote/remote_protocol.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/remote/base64.hpp"
#include "troupe/sandbox/remote/json_remote_client.hpp"

using namespace troupe;

namespace {

/// Answers every request with one text.
struct fixed_transport : remote_transport {
  explicit fixed_transport(std::string text) : answer(std::move(text)) {
    // nop
  }

  caf::expected<std::string> call(uint64_t, std::string, caf::timespan,
                                  std::stop_token) override {
    return answer;
  }

  std::string answer;
};

auto client_of(const std::string& answer) {
  return make_json_remote_client(std::make_shared<fixed_transport>(answer));
}

} // namespace

TEST_CASE("base64 brings any bytes back", "[remote]") {
  auto bytes = std::string{};
  for (auto i = 0; i < 300; ++i) {
    CHECK(from_base64(to_base64(bytes)) == bytes);
    bytes += static_cast<char>(i * 7);
  }
  CHECK(to_base64("hi") == "aGk=");
  CHECK(to_base64("") == "");
}

TEST_CASE("base64 is only what it is", "[remote]") {
  for (const auto* odd : {"a", "ab", "abc", "a===", "====", "ab=c", "aGk",
                          "aGl=", "aG k", "aGk=\n", "aGk=aGk=", "a-_="})
    CHECK_FALSE(from_base64(odd));
}

TEST_CASE("a request comes back as it was", "[remote]") {
  auto request = remote_request{};
  request.id = 7;
  request.call = remote_call::exec;
  request.command.argv = {"a", "", "b c\n"};
  request.command.directory = "x/y";
  request.command.environment = {{"A", "1=2"}};
  request.command.stdin_text = std::string{"\0\xff", 2};
  request.command.timeout = std::chrono::milliseconds{1500};
  request.command.output = 99;
  auto text = encode(request);
  CHECK(text.find('\n') == text.npos);
  auto back = decode_request(text);
  REQUIRE(back);
  CHECK(back->id == 7);
  CHECK(back->command.argv == request.command.argv);
  CHECK(back->command.directory == "x/y");
  CHECK(back->command.environment == request.command.environment);
  CHECK(back->command.stdin_text == request.command.stdin_text);
  CHECK(back->command.timeout == request.command.timeout);
  CHECK(back->command.output == 99);
}

TEST_CASE("requests that are none are refused", "[remote]") {
  for (const auto* odd :
       {"", "[]", "1", "{", R"({"id":1})", R"({"call":"read"})",
        R"({"id":1,"call":"erase"})", R"({"id":1,"call":"read"})",
        R"({"id":-1,"call":"close"})", R"({"id":1,"call":"read","path":1})",
        R"({"id":1,"call":"write","path":"a","content":"?"})",
        R"({"id":1,"call":"exec","argv":"ls"})",
        R"([[[[[[[[[[[[[[]]]]]]]]]]]]]])"})
    CHECK_FALSE(decode_request(odd));
}

TEST_CASE("answers that do not fit are the sandbox's failure", "[remote]") {
  for (const auto* odd :
       {"", "null", R"({"id":1})", R"({"id":2,"result":{"content":"aGk="}})",
        R"({"id":1,"result":{"content":"?"}})", R"({"id":1,"result":[]})",
        R"({"id":1,"result":{"content":7}})", R"({"id":1,"error":"bad"})",
        R"({"id":1,"error":{"kind":"permission","message":"x"}})"}) {
    INFO(odd);
    auto text = client_of(odd)->read("a");
    REQUIRE_FALSE(text);
    CHECK(to_fault(text.error()).kind == errc::sandbox);
  }
  for (const auto* odd :
       {R"({"id":1,"result":{}})",
        R"({"id":1,"result":{"stdout":"","stderr":"","status":300,"signal":0,)"
        R"("timed_out":false,"truncated":false}})",
        R"({"id":1,"result":{"stdout":"","stderr":"","status":1.5,"signal":0,)"
        R"("timed_out":false,"truncated":false}})",
        R"({"id":1,"result":{"stdout":"","stderr":"","status":"0","signal":0,)"
        R"("timed_out":false,"truncated":false}})"})
    CHECK_FALSE(client_of(odd)->exec({}, {}));
}

TEST_CASE("an answer that fits is given on", "[remote]") {
  auto text = client_of(R"({"id":1,"result":{"content":"aGk="}})")->read("a");
  REQUIRE(text);
  CHECK(*text == "hi");
  auto missing = client_of(R"({"id":1,"error":{"kind":"tool",)"
                           R"("message":"a: no such file"}})")
                   ->read("a");
  REQUIRE_FALSE(missing);
  CHECK(to_fault(missing.error()).kind == errc::tool);
  CHECK(to_fault(missing.error()).message == "a: no such file");
}

TEST_CASE("only a plain URL is one of a remote sandbox", "[remote]") {
  auto thread = process_thread::make();
  REQUIRE(thread);
  for (const auto* odd :
       {"", "https://host/", "http://", "http://host:x/", "http://a b/",
        "http://host:123456/", "http://u:p@host/", "http://host/\r\nX: y",
        "ftp://host/", "http://[::1]/"})
    CHECK_FALSE(make_http_transport(*thread, odd));
  CHECK(make_http_transport(*thread, "http://127.0.0.1:1/x"));
}

TEST_CASE("a header of a remote sandbox is one line and does not frame",
          "[remote]") {
  auto thread = process_thread::make();
  REQUIRE(thread);
  using headers = std::map<std::string, std::string>;
  for (const auto& odd :
       {headers{{"X-Key", "a\r\nb"}}, headers{{"X: y", "a"}},
        headers{{"", "a"}}, headers{{"Content-Length", "0"}},
        headers{{"transfer-encoding", "chunked"}}, headers{{"HOST", "other"}}})
    CHECK_FALSE(make_http_transport(*thread, "http://host/", odd));
  CHECK(make_http_transport(*thread, "http://host/",
                            {{"Authorization", "Bearer token"}}));
}
