#include "troupe/sandbox/network/detail/http_head.hpp"

#include "support/catch.hpp"

#include <boost/beast/http/write.hpp>

#include <sstream>

using namespace troupe;
using namespace std::literals;

namespace {

using state = http_head_scanner::state;

state scan(std::string_view bytes) {
  return http_head_scanner{}.scan(bytes);
}

std::variant<proxy_request, gateway_refusal> read(const std::string& head) {
  return read_proxy_request(head + "\r\n");
}

// "host:port" of what is let through, or the reason that it is not.
std::string outcome(const std::string& head) {
  if (scan(head + "\r\n") != state::complete)
    return "malformed";
  auto x = read(head);
  if (auto* why = std::get_if<gateway_refusal>(&x))
    return std::string{to_string(why->reason)};
  return to_string(std::get<proxy_request>(x).destination);
}

std::string sent_on(const std::string& head) {
  auto x = read(head);
  REQUIRE(std::holds_alternative<proxy_request>(x));
  auto& request = std::get<proxy_request>(x);
  auto out = std::ostringstream{};
  out << request.head;
  return out.str();
}

} // namespace

TEST_CASE("a head ends with its first empty line", "[http_head]") {
  auto whole = "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\nrest"sv;
  auto end = whole.size() - 4;
  auto sut = http_head_scanner{};
  for (auto size = size_t{0}; size < end; ++size)
    CHECK(sut.scan(whole.substr(0, size)) == state::incomplete);
  CHECK(sut.scan(whole) == state::complete);
  CHECK(sut.size() == end);
  CHECK(scan("CONNECT a:1 HTTP/1.1\r\n\r\n") == state::complete);
}

TEST_CASE("a head with lines that others may see otherwise is malformed",
          "[http_head][attack]") {
  for (auto text : {"GET / HTTP/1.1\n"sv,
                    "GET / HTTP/1.1\nHost: a\r\n\r\n"sv,
                    "GET / HTTP/1.1\r\nHost: a\n\r\n"sv,
                    "GET / HTTP/1.1\r\nHost: a\r\n\n"sv,
                    "GET / HTTP/1.1\r\nA: b\rHost: a\r\n"sv,
                    "GET / HTTP/1.1\r\r\n"sv,
                    "\r\nGET / HTTP/1.1\r\n\r\n"sv,
                    "GET / HTTP/1.1\r\nHost : a\r\n"sv,
                    "GET / HTTP/1.1\r\nHost\t: a\r\n"sv,
                    "GET / HTTP/1.1\r\nA: b\r\n folded\r\n"sv,
                    "GET / HTTP/1.1\r\nA: b\r\n\tfolded\r\n"sv,
                    "GET / HTTP/1.1\r\n Host: a\r\n"sv,
                    "GET / HTTP/1.1\r\n: a\r\n"sv,
                    "GET / HTTP/1.1\r\nno colon\r\n"sv,
                    "GET / HTTP/1.1\r\nA: \0\r\n"sv,
                    "GET / HTTP/1.1\r\nA\0: b\r\n"sv,
                    "GET /\0 HTTP/1.1\r\n"sv,
                    "GET / HTTP/1.1\r\nA: \x1b[2J\r\n"sv,
                    "GET / HTTP/1.1\r\nA: \x7f\r\n"sv,
                    "\x16\x03\x01\x02\0"sv}) {
    CAPTURE(text);
    CHECK(scan(text) == state::malformed);
  }
}

TEST_CASE("CONNECT leads to its target, whatever the Host is", "[http_head]") {
  CHECK(outcome("CONNECT a.test:443 HTTP/1.1\r\nHost: evil\r\n")
        == "a.test:443");
  CHECK(outcome("CONNECT A.TEST:443 HTTP/1.0\r\n") == "a.test:443");
  CHECK(outcome("CONNECT [::1]:443 HTTP/1.1\r\n") == "[::1]:443");
  CHECK(outcome("CONNECT a.test:443 HTTP/1.1\r\nContent-Length: 0\r\n")
        == "a.test:443");
}

TEST_CASE("a CONNECT to no host and port is malformed", "[http_head][attack]") {
  for (auto target : {"a.test"s,
                      "a.test:"s,
                      "a.test:018080"s,
                      "a.test:83616"s,
                      "a.test: 18080"s,
                      "a.test:+18080"s,
                      "a.test:0"s,
                      "a.test:18080:22"s,
                      "a.test:18080#@x:80"s,
                      ":443"s,
                      ""s,
                      "*"s,
                      "*.test:443"s,
                      "evil@a.test:80"s,
                      "a.test:80@evil:80"s,
                      "a.test.:80"s,
                      "a.test..:80"s,
                      "a.test%00.evil:80"s,
                      "//a.test:80"s,
                      "http://a.test:80/"s,
                      "a.test:80/"s,
                      "a.test:80?x"s,
                      "caf\xc3\xa9.test:80"s,
                      "\xef\xbd\x81.test:80"s,
                      "a_b.test,c.test:80"s,
                      "[::1%25lo]:80"s,
                      "a.test\\:80"s}) {
    CAPTURE(target);
    CHECK(outcome("CONNECT " + target + " HTTP/1.1\r\n") == "malformed");
  }
  CHECK(outcome("CONNECT a.test:80 HTTP/1.1\r\nContent-Length: 1\r\n")
        == "malformed");
  CHECK(outcome("CONNECT a.test:80 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n")
        == "malformed");
}

TEST_CASE("a request in absolute-form leads to its target", "[http_head]") {
  CHECK(outcome("GET http://a.test/x HTTP/1.1\r\nHost: a.test\r\n")
        == "a.test:80");
  CHECK(outcome("GET HTTP://A.test:8080 HTTP/1.1\r\nHost: a.TEST:8080\r\n")
        == "a.test:8080");
  CHECK(outcome("GET http://a.test:80/ HTTP/1.1\r\nHost: a.test\r\n")
        == "a.test:80");
  CHECK(outcome("GET http://[::1]/ HTTP/1.1\r\n") == "[::1]:80");
  CHECK(outcome("GET http://a.test?http://b.test/ HTTP/1.1\r\n")
        == "a.test:80");
}

TEST_CASE("a request with two meanings is refused", "[http_head][attack]") {
  auto get = [](const std::string& target, const std::string& more = "") {
    return outcome("GET " + target + " HTTP/1.1\r\n" + more);
  };
  CHECK(get("http://a.test/", "Host: evil.test\r\n") == "host mismatch");
  CHECK(get("http://a.test/", "Host: a.test:81\r\n") == "host mismatch");
  CHECK(get("http://a.test/", "Host: a.test\r\nHost: a.test\r\n")
        == "malformed");
  CHECK(get("http://a.test/", "Host:\r\n") == "malformed");
  CHECK(get("http://a.test/", "Host: a.test, evil.test\r\n") == "malformed");
  CHECK(get("http://a.test/", "Host: a.test.\r\n") == "malformed");
  CHECK(get("/", "Host: a.test\r\n") == "malformed");
  CHECK(get("*", "Host: a.test\r\n") == "malformed");
  CHECK(get("a.test:80") == "malformed");
  CHECK(get("http:///x") == "malformed");
  CHECK(get("http://") == "malformed");
  CHECK(get("http://a.test:80@evil/") == "malformed");
  CHECK(get("http://evil@a.test/") == "malformed");
  CHECK(get("http://a.test\\@evil/") == "malformed");
  CHECK(get("http://a.test/#x") == "malformed");
  CHECK(get("http://a.test:/") == "malformed");
  CHECK(get("http://a.test:080/") == "malformed");
  CHECK(get("http:/a.test/") == "malformed");
  CHECK(get("file:/etc/passwd") == "malformed");
  CHECK(get("https://a.test/") == "not supported");
  CHECK(get("ftp://a.test/") == "not supported");
  CHECK(get("file:///etc/passwd") == "not supported");
  CHECK(get("gopher://a.test/") == "not supported");
  CHECK(get("ws://a.test/") == "not supported");
  CHECK(get("http://a.test/", "Upgrade: websocket\r\nConnection: upgrade\r\n")
        == "not supported");
  CHECK(get("http://a.test/", "Upgrade: h2c\r\n") == "not supported");
}

TEST_CASE("a body without one end is refused", "[http_head][attack]") {
  auto post = [](const std::string& more) {
    return outcome("POST http://a.test/ HTTP/1.1\r\n" + more);
  };
  CHECK(post("Content-Length: 5\r\n") == "a.test:80");
  CHECK(post("Transfer-Encoding: Chunked\r\n") == "a.test:80");
  for (auto more :
       {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 5\r\n", "Content-Length: +5\r\n",
        "Content-Length: -5\r\n", "Content-Length: 0x5\r\n",
        "Content-Length: 5 5\r\n", "Content-Length:\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"}) {
    CAPTURE(more);
    CHECK(post(more) == "malformed");
  }
  CHECK(outcome("POST http://a.test/ HTTP/1.0\r\n"
                "Transfer-Encoding: chunked\r\n")
        == "malformed");
}

TEST_CASE("another version of HTTP is refused", "[http_head][attack]") {
  CHECK(outcome("PRI * HTTP/2.0\r\n") == "malformed");
  CHECK(outcome("GET http://a.test/ HTTP/2.0\r\n") == "malformed");
  CHECK(outcome("GET http://a.test/ HTTP/0.9\r\n") == "malformed");
  CHECK(outcome("GET http://a.test/\r\n") == "malformed");
  CHECK(outcome("GET  http://a.test/ HTTP/1.1\r\n") == "malformed");
  CHECK(outcome("GET http://a.test/ HTTP/1.1 x\r\n") == "malformed");
}

TEST_CASE("what concerns one hop is not sent on", "[http_head]") {
  CHECK(sent_on("POST http://A.test:8080?q=1 HTTP/1.1\r\n"
                "X-One: 1\r\n"
                "Proxy-Connection: keep-alive\r\n"
                "Proxy-Authorization: Basic c2VjcmV0\r\n"
                "Connection: close, x-two, Host, TE\r\n"
                "X-Two: 2\r\n"
                "TE: trailers\r\n"
                "Keep-Alive: timeout=5\r\n"
                "Trailer: x\r\n"
                "HTTP2-Settings: AAMAAABk\r\n"
                "Expect: 100-continue\r\n"
                "Content-Length: 3\r\n"
                "Accept: a\r\n"
                "Accept: b\r\n")
        == "POST /?q=1 HTTP/1.1\r\nX-One: 1\r\nAccept: a\r\nAccept: b\r\n"
           "Host: a.test:8080\r\n\r\n");
  CHECK(sent_on("GET http://a.test HTTP/1.0\r\n")
        == "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
  CHECK(sent_on("GET http://[::1]/ HTTP/1.1\r\n")
        == "GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n");
  CHECK(sent_on("REPORT http://a.test/a%20b HTTP/1.1\r\n")
        == "REPORT /a%20b HTTP/1.1\r\nHost: a.test\r\n\r\n");
}

TEST_CASE("an operator is shown no control characters", "[http_head]") {
  CHECK(printable("a b\r\n\x1b[2J\\\xff")
        == "a\\x20b\\x0d\\x0a\\x1b[2J\\x5c"
           "\\xff");
  CHECK(printable(std::string(300, 'a')).size() == 203);
}
