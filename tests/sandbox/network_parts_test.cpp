#include "support/catch.hpp"

#include "troupe/sandbox/network/address_class.hpp"
#include "troupe/sandbox/network/detail/traffic_ledger.hpp"
#include "troupe/sandbox/network/dns_message.hpp"
#include "troupe/sandbox/network/made_up_addresses.hpp"
#include "troupe/sandbox/network/socks5.hpp"

#include <algorithm>

using namespace troupe;
using namespace std::literals;
using boost::asio::ip::make_address;

namespace {

using bytes = std::vector<uint8_t>;

bytes as_bytes(std::string_view text) {
  return {text.begin(), text.end()};
}

// A query for one name, in labels that are given as they are.
bytes query(std::string_view labels, uint16_t type = 1) {
  auto result = as_bytes("\x12\x34\x01\x00\x00\x01\0\0\0\0\0\0"sv);
  result.insert(result.end(), labels.begin(), labels.end());
  result.insert(result.end(), {static_cast<uint8_t>(type >> 8),
                               static_cast<uint8_t>(type & 0xff), 0, 1});
  return result;
}

constexpr auto example = "\7EXAMPLE\4test\0"sv;

dns_status status_of(const bytes& message) {
  auto x = read_dns_query(message);
  REQUIRE(x);
  return x->status;
}

std::string destination_of(std::string_view request) {
  auto x = read_socks5_request(as_bytes(request));
  if (x.state != socks5_state::complete)
    return x.state == socks5_state::malformed ? "malformed" : "incomplete";
  CHECK(x.size == request.size());
  return x.destination ? to_string(*x.destination)
                       : "reply " + std::to_string(int(x.refusal));
}

} // namespace

TEST_CASE("an address has the class of its block", "[address_class]") {
  using row = std::tuple<std::string, address_class>;
  auto [text, expected] = GENERATE(table<std::string, address_class>(
    {row{"8.8.8.8", address_class::global},
     row{"192.31.196.1", address_class::global},
     row{"172.15.255.255", address_class::global},
     row{"172.32.0.0", address_class::global},
     row{"100.63.255.255", address_class::global},
     row{"100.128.0.0", address_class::global},
     row{"223.255.255.255", address_class::global},
     row{"2606:4700::1111", address_class::global},
     row{"10.0.0.0", address_class::private_use},
     row{"172.16.0.0", address_class::private_use},
     row{"172.31.255.255", address_class::private_use},
     row{"192.168.1.1", address_class::private_use},
     row{"100.64.0.1", address_class::private_use},
     row{"198.19.255.255", address_class::private_use},
     row{"fec0::1", address_class::private_use},
     row{"169.254.0.1", address_class::link_local},
     row{"fe80::1", address_class::link_local},
     row{"fe80::1%1", address_class::link_local},
     row{"fc00::1", address_class::unique_local},
     row{"fdff::1", address_class::unique_local},
     row{"127.0.0.1", address_class::loopback},
     row{"127.255.255.255", address_class::loopback},
     row{"::1", address_class::loopback},
     row{"0.0.0.0", address_class::unspecified},
     row{"0.1.2.3", address_class::unspecified},
     row{"::", address_class::unspecified},
     row{"::ffff:8.8.8.8", address_class::embedded},
     row{"::ffff:127.0.0.1", address_class::embedded},
     row{"::127.0.0.1", address_class::embedded},
     row{"::ffff:0:8.8.8.8", address_class::embedded},
     row{"64:ff9b::8.8.8.8", address_class::embedded},
     row{"64:ff9b:1::10.0.0.1", address_class::embedded},
     row{"2002:7f00:1::", address_class::embedded},
     row{"169.254.169.254", address_class::metadata},
     row{"169.254.170.2", address_class::metadata},
     row{"100.100.100.200", address_class::metadata},
     row{"168.63.129.16", address_class::metadata},
     row{"192.0.0.192", address_class::metadata},
     row{"fd00:ec2::254", address_class::metadata},
     row{"224.0.0.1", address_class::multicast},
     row{"239.255.255.255", address_class::multicast},
     row{"ff02::1", address_class::multicast},
     row{"240.0.0.1", address_class::unusable},
     row{"255.255.255.255", address_class::unusable},
     row{"2001::1", address_class::unusable},
     row{"100::1", address_class::unusable},
     row{"4000::1", address_class::unusable},
     row{"192.0.2.1", address_class::reserved},
     row{"203.0.113.1", address_class::reserved},
     row{"2001:db8::1", address_class::reserved},
     row{"2001:20::1", address_class::reserved},
     row{"3fff::1", address_class::reserved}}));
  CAPTURE(text);
  CHECK(classify(make_address(text)) == expected);
  auto what = forbidden_class(make_address(text), {});
  CHECK(what == expected);
}

TEST_CASE("a private policy permits what is private and nothing worse",
          "[address_class][attack]") {
  auto policy = address_policy{};
  policy.allow_private = true;
  policy.own = {make_address("203.0.113.9")};
  auto is_permitted = [&](const std::string& text) {
    return forbidden_class(make_address(text), policy) == address_class::global;
  };
  for (auto text :
       {"10.0.0.1", "192.168.0.1", "169.254.1.1", "fe80::1", "fd12::1",
        "192.0.2.1", "203.0.113.9", "::ffff:10.0.0.1", "64:ff9b::8.8.8.8",
        "2002:0a00:1::", "127.0.0.1", "::1", "::ffff:127.0.0.1"})
    CHECK(is_permitted(text));
  for (auto text :
       {"169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::", "0.0.0.0", "::", "::ffff:0.0.0.0", "224.0.0.1",
        "ff02::1", "255.255.255.255", "fd00:ec2::254"}) {
    CAPTURE(text);
    CHECK_FALSE(is_permitted(text));
  }
}

TEST_CASE("this host's own addresses are not the internet",
          "[address_class][attack]") {
  auto policy = address_policy{};
  policy.own = {make_address("9.9.9.9"), make_address("2606:4700::1%1")};
  CHECK(forbidden_class(make_address("9.9.9.9"), policy) == address_class::own);
  CHECK(forbidden_class(make_address("2606:4700::1"), policy)
        == address_class::own);
  CHECK(forbidden_class(make_address("9.9.9.8"), policy)
        == address_class::global);
  auto own = list_own_addresses();
  REQUIRE(own);
  CHECK(std::count(own->begin(), own->end(), make_address("127.0.0.1")) == 1);
}

TEST_CASE("a question is read with its name as it came", "[dns_message]") {
  auto x = read_dns_query(query(example, 28));
  REQUIRE(x);
  CHECK(x->status == dns_status::no_error);
  CHECK(x->name == "EXAMPLE.test");
  CHECK(x->type == 28);
  CHECK(x->klass == 1);
  CHECK(x->id == 0x1234);
  CHECK(x->recursion_desired);
  CHECK(x->bytes.size() == example.size() + 4);
  CHECK(read_dns_query(query("\0"sv))->name.empty());
  CHECK(read_dns_query(query("\3a.b\4test\0"sv))->name.empty());
  CHECK(read_dns_query(query("\3a\0b\4test\0"sv))->name.empty());
}

TEST_CASE("an EDNS record may follow a question", "[dns_message]") {
  auto message = query(example);
  message[11] = 1;
  auto edns = as_bytes("\0\0\x29\x04\xd0\0\0\0\0\0\0"sv);
  message.insert(message.end(), edns.begin(), edns.end());
  CHECK(status_of(message) == dns_status::no_error);
}

TEST_CASE("what is no question is answered so, or not at all",
          "[dns_message][attack]") {
  auto good = query(example);
  for (auto size = size_t{0}; size < 12; ++size)
    CHECK_FALSE(read_dns_query(std::span{good}.first(size)));
  for (auto size = size_t{12}; size < good.size(); ++size)
    CHECK(status_of(bytes{good.begin(), good.begin() + int(size)})
          == dns_status::format_error);
  auto answer = good;
  answer[2] |= 0x80;
  CHECK_FALSE(read_dns_query(answer));
  auto update = good;
  update[2] = 5 << 3;
  CHECK(status_of(update) == dns_status::not_implemented);
  // No questions, two, with answers or authorities in it.
  for (auto [at, count] : {std::pair{5, 0}, {5, 2}, {7, 1}, {9, 1}, {11, 2}}) {
    auto message = good;
    message[size_t(at)] = uint8_t(count);
    CHECK(status_of(message) == dns_status::format_error);
  }
  auto longer = good;
  longer.push_back(0);
  CHECK(status_of(longer) == dns_status::format_error);
  longer.resize(longest_dns_query + 1);
  CHECK(status_of(longer) == dns_status::format_error);
  // A pointer, a label that is too long, a name that is.
  CHECK(status_of(query("\xc0\x0c"sv)) == dns_status::format_error);
  CHECK(status_of(query("\x40"s + std::string(64, 'a') + "\0"s))
        == dns_status::format_error);
  auto label = "\x3f"s + std::string(63, 'a');
  CHECK(status_of(query(label + label + label + label + "\0"s))
        == dns_status::format_error);
}

TEST_CASE("an answer repeats the question", "[dns_message]") {
  auto x = read_dns_query(query(example));
  auto expected = query(example);
  expected[2] = 0x85;
  expected[3] = 0x80;
  expected[7] = 1;
  auto record = as_bytes("\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\x80\0\1"sv);
  expected.insert(expected.end(), record.begin(), record.end());
  CHECK(write_dns_answer(*x, dns_status::no_error, 0x7f800001) == expected);
  auto refused = query(example);
  refused[2] = 0x85;
  refused[3] = 0x83;
  CHECK(write_dns_answer(*x, dns_status::no_such_name) == refused);
  auto broken = read_dns_query(std::span{refused}.first(0));
  CHECK_FALSE(broken);
  auto cut = query(example);
  cut.pop_back();
  CHECK(write_dns_answer(*read_dns_query(cut), dns_status::format_error)
        == as_bytes("\x12\x34\x85\x81\0\0\0\0\0\0\0\0"sv));
}

TEST_CASE("a name keeps its made-up address", "[made_up_addresses]") {
  auto sut = made_up_addresses{2};
  auto a = sut.address_of("a.test");
  auto b = sut.address_of("b.test");
  REQUIRE(a);
  REQUIRE(b);
  CHECK(a->to_string() == "127.128.0.1");
  CHECK(*a != *b);
  CHECK(sut.address_of("a.test") == a);
  CHECK_FALSE(sut.address_of("c.test"));
  CHECK(sut.name_of(*a) == "a.test");
  CHECK(sut.name_of(*b) == "b.test");
  CHECK(sut.name_of(make_address("127.128.0.3").to_v4()).empty());
  CHECK(sut.name_of(make_address("127.0.0.1").to_v4()).empty());
}

TEST_CASE("a greeting is complete with its last method", "[socks5]") {
  auto whole = as_bytes("\5\2\2\0more"sv);
  for (auto size = size_t{0}; size < 4; ++size)
    CHECK(read_socks5_greeting(std::span{whole}.first(size)).state
          == socks5_state::incomplete);
  auto x = read_socks5_greeting(whole);
  CHECK(x.state == socks5_state::complete);
  CHECK(x.size == 4);
  CHECK(x.offers_no_password);
  CHECK_FALSE(read_socks5_greeting(as_bytes("\5\1\2"sv)).offers_no_password);
  CHECK(read_socks5_greeting(as_bytes("\5\0"sv)).state
        == socks5_state::malformed);
  CHECK(read_socks5_greeting(as_bytes("\4\1"sv)).state
        == socks5_state::malformed);
}

TEST_CASE("a SOCKS5 request names what HTTP would", "[socks5]") {
  CHECK(destination_of("\5\1\0\3\6A.test\1\xbb"sv) == "a.test:443");
  CHECK(destination_of("\5\1\0\1\xc0\0\2\1\0\x50"sv) == "192.0.2.1:80");
  CHECK(destination_of("\5\1\0\4\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1\0\x50"sv)
        == "[2001:db8::1]:80");
  CHECK(destination_of("\5\1\0\3\x09"
                       "192.0.2.1\0\x50"sv)
        == "192.0.2.1:80");
  CHECK(destination_of("\5\1\0\3\3::1\0\x50"sv) == "[::1]:80");
}

TEST_CASE("a SOCKS5 request that is none has no destination",
          "[socks5][attack]") {
  auto whole = "\5\1\0\3\6a.test\1\xbb"sv;
  for (auto size = size_t{0}; size < whole.size(); ++size)
    CHECK(destination_of(whole.substr(0, size)) == "incomplete");
  CHECK(destination_of("\5\2\0\3\1a\0\1"sv) == "reply 7"); // BIND
  CHECK(destination_of("\5\3\0\3\1a\0\1"sv) == "reply 7"); // UDP ASSOCIATE
  CHECK(destination_of("\5\1\0\2\1a\0\1"sv) == "reply 8");
  CHECK(destination_of("\5\4\0\3\1a\0\1"sv) == "malformed");
  CHECK(destination_of("\5\1\1\3\1a\0\1"sv) == "malformed");
  CHECK(destination_of("\4\1\0\3\1a\0\1"sv) == "malformed");
  CHECK(destination_of("\5\1\0\3\0\0\1"sv) == "reply 2");
  CHECK(destination_of("\5\1\0\3\3a\0b\0\1"sv) == "reply 2");
  CHECK(destination_of("\5\1\0\3\4a\r\nb\0\1"sv) == "reply 2");
  CHECK(destination_of("\5\1\0\3\2a.\0\1"sv) == "reply 2");
  CHECK(destination_of("\5\1\0\3\1a\0\0"sv) == "reply 2");
  CHECK(destination_of("\5\1\0\3\5[::1]\0\1"sv) == "reply 2");
  CHECK(destination_of("\5\1\0\3\4a:80\0\1"sv) == "reply 2");
}

TEST_CASE("destinations past a bound are counted together",
          "[traffic_ledger]") {
  auto sut = traffic_ledger{2, {"listed:1", "unused:1"}};
  CHECK(sut.at("a:1").is_new);
  CHECK_FALSE(sut.at("a:1").is_new);
  ++sut.at("b:1").counter->refused;
  for (auto name : {"c:1", "d:1", "e:1"})
    ++sut.at(name).counter->refused;
  ++sut.at("listed:1").counter->allowed;
  auto counts = sut.snapshot();
  REQUIRE(counts.size() == 3);
  CHECK(counts["b:1"].refused == 1);
  CHECK(counts["(others)"].refused == 3);
  CHECK(counts["listed:1"].allowed == 1);
}
