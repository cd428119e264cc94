#include "troupe/config/allow_list.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/load_settings.hpp"

using namespace troupe;
using namespace std::literals;

namespace {

std::string host(std::string_view text) {
  auto x = read_host(text);
  return x ? x->text : "refused";
}

fault why_not(std::string_view text) {
  auto x = parse_allow_entry(text);
  return x ? fault{} : to_fault(x.error());
}

bool allows(const std::vector<std::string>& entries, std::string_view to) {
  auto list = allow_list::make(entries);
  auto x = read_destination(to);
  REQUIRE(list);
  REQUIRE(x);
  return list->allows(*x);
}

} // namespace

TEST_CASE("a host is read in one spelling", "[network_destination]") {
  CHECK(host("api.example.com") == "api.example.com");
  CHECK(host("LOCALHOST") == "localhost");
  CHECK(host("a_b.xn--caf-dma.example") == "a_b.xn--caf-dma.example");
  CHECK(host(std::string(63, 'a')) == std::string(63, 'a'));
  CHECK(host("192.0.2.1") == "192.0.2.1");
  CHECK(host("[2001:DB8:0:0::1]") == "2001:db8::1");
  CHECK(host("[::FFFF:192.0.2.1]") == "::ffff:192.0.2.1");
  CHECK(read_host("192.0.2.1")->kind == host_kind::address);
  CHECK(read_host("a.example")->kind == host_kind::name);
}

TEST_CASE("a number is never a name", "[network_destination][attack]") {
  for (auto text : {"2130706433", "0x7f.1", "127.1", "017700000001",
                    "0x7f000001", "0x", "127.0.0.01", "0127.0.0.1", "256.1.1.1",
                    "1.2.3.4.5", "a.1", "a.0X7F"}) {
    CAPTURE(text);
    auto x = read_host(text);
    REQUIRE(x);
    CHECK(x->kind == host_kind::number);
    CHECK_FALSE(allow_list::make({"*.1:80"s}));
  }
}

TEST_CASE("what is no host is refused", "[network_destination][attack]") {
  for (auto text : {""sv,
                    "."sv,
                    "localhost."sv,
                    "localhost.."sv,
                    ".localhost"sv,
                    "a..b"sv,
                    "-a.example"sv,
                    "a-.example"sv,
                    "*"sv,
                    "*.example"sv,
                    "//localhost"sv,
                    "a b"sv,
                    " a"sv,
                    "a\t"sv,
                    "a\r\nb"sv,
                    "a\0b"sv,
                    "localhost\0"sv,
                    "localhost%00.evil"sv,
                    "a%2e"sv,
                    "caf\xc3\xa9.example"sv,
                    "\xef\xbd\x81.example"sv,
                    "a@b"sv,
                    "a/b"sv,
                    "a#b"sv,
                    "[::1"sv,
                    "::1"sv,
                    "[]"sv,
                    "[::1%lo]"sv,
                    "[127.0.0.1]"sv,
                    "[::1\0]"sv,
                    "[::1]x"sv}) {
    CAPTURE(text);
    CHECK(host(text) == "refused");
  }
  CHECK(host(std::string(64, 'a')) == "refused");
  auto longest = std::string{"a"};
  while (longest.size() < 253)
    longest += ".a";
  CHECK(host(longest) == longest);
  CHECK(host(longest + "aa") == "refused");
}

TEST_CASE("a port is digits without a sign or a zero in front",
          "[network_destination][attack]") {
  CHECK(read_port("1") == 1);
  CHECK(read_port("65535") == 65535);
  for (auto text :
       {""sv, "0"sv, "018080"sv, "65536"sv, "83616"sv, " 1"sv, "1 "sv, "+1"sv,
        "-1"sv, "0x50"sv, "1a"sv, "1\0"sv, "99999999999999999999"sv})
    CHECK_FALSE(read_port(text));
}

TEST_CASE("a destination is one host and one port", "[network_destination]") {
  CHECK(to_string(*read_destination("A.example:443")) == "a.example:443");
  CHECK(to_string(*read_destination("[::1]:80")) == "[::1]:80");
  CHECK(to_string(*read_destination("a.example", 80)) == "a.example:80");
  CHECK(to_string(*read_destination("[::1]", 80)) == "[::1]:80");
  for (auto text : {"a.example", "a.example:", ":80", "a:80:22", "a:80#@b:80",
                    "::1:80", "[::1]", "[::1]]:80", "a]:80", "e@a:80"})
    CHECK_FALSE(read_destination(text));
  CHECK_FALSE(read_destination("a.example:", 80));
}

TEST_CASE("an entry allows one host and port", "[allow_list]") {
  auto entries = std::vector<std::string>{"api.example.com:443", "192.0.2.1:80",
                                          "[2001:db8::1]:80"};
  CHECK(allows(entries, "api.example.com:443"));
  CHECK(allows(entries, "API.example.com:443"));
  CHECK(allows(entries, "192.0.2.1:80"));
  CHECK(allows(entries, "[2001:db8::0:1]:80"));
  CHECK_FALSE(allows(entries, "api.example.com:80"));
  CHECK_FALSE(allows(entries, "example.com:443"));
  CHECK_FALSE(allows(entries, "x.api.example.com:443"));
  CHECK_FALSE(allows(entries, "192.0.2.2:80"));
  CHECK_FALSE(allows(entries, "192.0.513:80"));
  CHECK_FALSE(allows(entries, "[::ffff:192.0.2.1]:80"));
  CHECK_FALSE(allows({}, "api.example.com:443"));
}

TEST_CASE("a wildcard allows names below its domain, at any depth",
          "[allow_list]") {
  auto entries = std::vector<std::string>{"*.wild.test:443"};
  CHECK(allows(entries, "a.wild.test:443"));
  CHECK(allows(entries, "a.b.wild.test:443"));
  CHECK_FALSE(allows(entries, "wild.test:443"));
  CHECK_FALSE(allows(entries, "awild.test:443"));
  CHECK_FALSE(allows(entries, "a.wild.test.evil:443"));
  CHECK_FALSE(allows(entries, "a.wild.test:80"));
  CHECK_FALSE(allows(entries, "192.0.2.1:443"));
}

TEST_CASE("a list covers the names of its entries", "[allow_list]") {
  auto list = allow_list::make({"a.test:443", "*.wild.test:1", "192.0.2.1:80"});
  REQUIRE(list);
  CHECK(list->covers("a.test"));
  CHECK(list->covers("x.wild.test"));
  CHECK_FALSE(list->covers("wild.test"));
  CHECK_FALSE(list->covers("192.0.2.1"));
  CHECK_FALSE(list->covers(""));
}

TEST_CASE("a refused entry says what to write", "[allow_list]") {
  using row = std::tuple<std::string, std::string, std::string>;
  auto [text, message, hint]
    = GENERATE(table<std::string, std::string, std::string>(
      {row{"Api.Example.com:443", "is not in the spelling that is matched",
           "write api.example.com:443"},
       row{"*.Example.com:443", "is not in the spelling that is matched",
           "write *.example.com:443"},
       row{"https://API.example.com/v1", "is not a host with a port",
           "write api.example.com:443"},
       row{"http://me@a.test", "is not a host with a port", "write a.test:80"},
       row{"me@a.test:80", "has a user name in it", "write a.test:80"},
       row{"api.example.com", "has no port", "write api.example.com:443"},
       row{"*.example.com", "has no port", "write *.example.com:443"},
       row{"a.test:0", "has no port from 1 to 65535 after its colon",
           "write a.test:443"},
       row{"a.test:080", "has no port from 1 to 65535 after its colon",
           "write a.test:443"},
       row{"a.test.:80", "has a dot after its host", "write a.test:80"},
       row{"::1:80", "has too many colons",
           "write an IPv6 address in brackets: [2001:db8::1]:443"},
       row{"a.*.test:80", "has a `*` that is not its whole first label",
           "write *.domain:port for every name below a domain"},
       row{"*:443", "has a `*` that is not its whole first label",
           "write *.domain:port for every name below a domain"},
       row{"*.192.0.2.1:80", "has a `*` before an address",
           "write 192.0.2.1:80"},
       row{"127.1:80", "has a host that is only a number",
           "write an IPv4 address as four numbers: 203.0.113.7:443"},
       row{"10.0.0.0/8:80", "is not a host with a port", "write 10.0.0.0:443"},
       row{"caf\xc3\xa9.test:80", "has a character in it that no host name has",
           "write a name that is not in ASCII in its form xn--…"},
       row{"a..b:80", "is not a host with a port",
           "write " + std::string{allow_entry_forms}},
       row{"", "is empty", "write " + std::string{allow_entry_forms}}}));
  auto why = why_not(text);
  CHECK(why.kind == errc::configuration);
  CHECK(why.message == '`' + text + "` " + message);
  CHECK(why.hint == hint);
}

TEST_CASE("entries of a file are checked where they stand", "[allow_list]") {
  auto x = parse_settings("version: 1\nsandbox:\n  network: {mode: allowlist, "
                          "allow: [\"a.test:1\", \"B.test:1\"]}\n",
                          "t.yaml");
  REQUIRE_FALSE(x);
  auto faults = to_faults(x.error());
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].message
        == "sandbox.network.allow[1]: `B.test:1` is not in the spelling that "
           "is matched");
  CHECK(faults[0].where == "t.yaml:3:37");
  CHECK(faults[0].hint == "write b.test:1");
}
