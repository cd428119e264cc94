#include "troupe/sandbox/network/detail/http_head.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

namespace troupe {

namespace {

namespace http = boost::beast::http;
using boost::beast::iequals;

constexpr auto npos = std::string_view::npos;
constexpr uint16_t http_port = 80;
constexpr size_t longest_shown = 200;

struct no_case {
  bool operator()(std::string_view a, std::string_view b) const {
    return boost::beast::iless{}(a, b);
  }
};

std::string_view view(boost::beast::string_view x) {
  return {x.data(), x.size()};
}

// RFC 9110: the characters of a token.
bool is_token_char(char x) {
  constexpr auto others = std::string_view{"!#$%&'*+-.^_`|~"};
  return (x >= '0' && x <= '9') || (x >= 'a' && x <= 'z')
         || (x >= 'A' && x <= 'Z') || others.find(x) != npos;
}

// No folded line, no space before the colon, no name that is no token.
bool is_field_line(std::string_view line) {
  auto colon = line.find(':');
  return colon != npos && colon > 0
         && std::all_of(line.begin(),
                        line.begin() + static_cast<std::ptrdiff_t>(colon),
                        is_token_char);
}

/// Reads one head; what it finds wrong it remembers.
class request_reader {
public:
  explicit request_reader(std::string_view head) {
    parser_.eager(false);
    parser_.header_limit(static_cast<uint32_t>(head.size() + 1));
    parser_.body_limit(boost::none);
    auto failed = boost::system::error_code{};
    auto used = parser_.put(boost::asio::buffer(head), failed);
    if (failed || !parser_.is_header_done() || used != head.size())
      refuse(gateway_reason::malformed, "not HTTP/1.1: " + failed.message());
    asked_ = printable(view(request().target()));
  }

  std::variant<proxy_request, gateway_refusal> read() {
    if (!refusal_)
      read_framing();
    if (!refusal_)
      read_target();
    if (!refusal_)
      check_host();
    if (refusal_)
      return std::move(*refusal_);
    result_.keep_alive = parser_.keep_alive();
    if (!result_.is_connect)
      write_head();
    return std::move(result_);
  }

private:
  const http::request<http::empty_body>& request() const {
    return parser_.get();
  }

  void refuse(gateway_reason reason, std::string detail) {
    refusal_ = gateway_refusal{reason, asked_, std::move(detail)};
  }

  void read_framing() {
    auto version = request().version();
    auto framing = troupe::read_framing(request());
    if (version != 11 && version != 10)
      return refuse(gateway_reason::malformed, "not HTTP/1.0 or HTTP/1.1");
    if (!framing)
      return refuse(gateway_reason::malformed,
                    "Content-Length and Transfer-Encoding leave open where "
                    "the body ends");
    if (framing->is_chunked && version == 10)
      return refuse(gateway_reason::malformed, "HTTP/1.0 knows no chunks");
    if (request().count(http::field::upgrade) > 0)
      return refuse(gateway_reason::unsupported,
                    "upgrade to " + printable(field(http::field::upgrade)));
    result_.framing = *framing;
    result_.knows_chunks = version == 11;
    result_.expects_continue = request().count(http::field::expect) > 0;
  }

  void read_target() {
    auto target = view(request().target());
    result_.is_connect = request().method() == http::verb::connect;
    if (result_.is_connect)
      return read_authority(target, 0);
    auto colon = target.find("://");
    if (target.starts_with('/') || colon == npos)
      return refuse(gateway_reason::malformed, "not the form for a proxy");
    if (!iequals(target.substr(0, colon), "http"))
      return refuse(gateway_reason::unsupported, "not the scheme http");
    target.remove_prefix(colon + 3);
    auto end = target.find_first_of("/?#");
    read_authority(target.substr(0, end), http_port);
    auto path = std::string{end == npos ? "" : target.substr(end)};
    if (path.find('#') != npos)
      return refuse(gateway_reason::malformed, "a fragment in the target");
    path_ = path.starts_with('/') ? path : '/' + path;
  }

  // User names, odd ports and more than one colon are no destination.
  void read_authority(std::string_view text, uint16_t default_port) {
    auto found = read_destination(text, default_port);
    if (!found)
      return refuse(gateway_reason::malformed, "not a host and a port");
    auto has_body = result_.framing.is_chunked
                    || result_.framing.content_length.value_or(0) > 0;
    if (result_.is_connect && has_body)
      return refuse(gateway_reason::malformed, "CONNECT with a body");
    result_.destination = std::move(*found);
    asked_ = to_string(result_.destination);
  }

  // A tunnel's destination is its target and nothing else.
  void check_host() {
    auto hosts = request().count(http::field::host);
    if (hosts > 1)
      return refuse(gateway_reason::malformed, "more than one Host");
    if (result_.is_connect || hosts == 0)
      return;
    auto host = read_destination(field(http::field::host), http_port);
    if (!host)
      return refuse(gateway_reason::malformed,
                    "not a Host: " + printable(field(http::field::host)));
    if (to_string(*host) != asked_)
      return refuse(gateway_reason::mismatch, "Host is " + to_string(*host));
  }

  std::string_view field(http::field name) const {
    return view(request()[name]);
  }

  void write_head();

  http::request_parser<http::empty_body> parser_;
  proxy_request result_;
  std::optional<gateway_refusal> refusal_;
  std::string asked_;
  std::string path_;
};

/// Of one hop only, or of its framing, which is written anew.
bool is_of_one_hop(std::string_view name) {
  constexpr auto names = std::array<std::string_view, 12>{"Connection",
                                                          "Keep-Alive",
                                                          "Proxy-Connection",
                                                          "Proxy-Authenticate",
                                                          "Proxy-Authorization",
                                                          "TE",
                                                          "Trailer",
                                                          "Transfer-Encoding",
                                                          "Content-Length",
                                                          "Upgrade",
                                                          "HTTP2-Settings",
                                                          "Expect"};
  return std::any_of(names.begin(), names.end(),
                     [name](auto x) { return iequals(x, name); });
}

void copy_fields(const http::fields& from, http::fields& to) {
  auto unwanted = std::set<std::string, no_case>{};
  for (const auto* name : {"Connection", "Proxy-Connection"}) {
    auto [first, last] = from.equal_range(name);
    for (; first != last; ++first)
      for (const auto& token : http::token_list{first->value()})
        unwanted.emplace(view(token));
  }
  for (const auto& x : from) {
    auto name = view(x.name_string());
    if (!is_of_one_hop(name) && unwanted.count(std::string{name}) == 0)
      to.insert(x.name_string(), x.value());
  }
}

void request_reader::write_head() {
  auto& head = result_.head;
  const auto& to = result_.destination;
  copy_fields(request(), head);
  head.version(11);
  head.method_string(request().method_string());
  head.target(path_);
  auto host = to_string(to);
  if (to.port == http_port)
    host.resize(host.rfind(':'));
  head.set(http::field::host, host);
}

} // namespace

http_head_scanner::state http_head_scanner::scan(std::string_view bytes) {
  for (; at_ < bytes.size(); ++at_) {
    auto x = bytes[at_];
    if (x == '\n') {
      if (at_ == line_ || bytes[at_ - 1] != '\r')
        return state::malformed;
      auto is_last = at_ - 1 == line_;
      if (is_last ? line_ == 0 : !end_line(bytes))
        return state::malformed;
      line_ = at_ + 1;
      if (is_last) {
        ++at_;
        return state::complete;
      }
    } else if (at_ > line_ && bytes[at_ - 1] == '\r') {
      return state::malformed;
    } else if ((x >= 0 && x < ' ' && x != '\t' && x != '\r') || x == 0x7f) {
      return state::malformed;
    }
  }
  return state::incomplete;
}

bool http_head_scanner::end_line(std::string_view bytes) {
  return line_ == 0 || is_field_line(bytes.substr(line_, at_ - 1 - line_));
}

std::variant<proxy_request, gateway_refusal>
read_proxy_request(std::string_view head) {
  return request_reader{head}.read();
}

http::response_header<> forwarded(const http::response_header<>& response) {
  auto result = http::response_header<>{};
  copy_fields(response, result);
  result.version(11);
  result.result(response.result_int());
  result.reason(response.reason());
  return result;
}

std::optional<http_framing> read_framing(const http::fields& fields) {
  auto result = http_framing{};
  auto lengths = fields.count(http::field::content_length);
  auto encodings = fields.count(http::field::transfer_encoding);
  if (lengths + encodings > 1)
    return std::nullopt;
  if (encodings == 1) {
    result.is_chunked = iequals(fields[http::field::transfer_encoding],
                                "chunked");
    return result.is_chunked ? std::optional{result} : std::nullopt;
  }
  if (lengths == 1) {
    auto text = view(fields[http::field::content_length]);
    auto length = uint64_t{0};
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(),
                                         length);
    if (failed != std::errc{} || end != text.data() + text.size())
      return std::nullopt;
    result.content_length = length;
  }
  return result;
}

std::string printable(std::string_view text) {
  constexpr auto digits = std::string_view{"0123456789abcdef"};
  auto result = std::string{};
  for (auto x : text.substr(0, longest_shown)) {
    auto byte = static_cast<unsigned char>(x);
    if (byte > ' ' && byte < 0x7f && x != '\\')
      result += x;
    else
      result.append("\\x")
        .append(1, digits[byte >> 4])
        .append(1, digits[byte & 15]);
  }
  return text.size() > longest_shown ? result + "..." : result;
}

} // namespace troupe
