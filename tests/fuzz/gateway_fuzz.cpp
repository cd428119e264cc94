#include "troupe/config/allow_list.hpp"
#include "troupe/sandbox/network/detail/http_head.hpp"
#include "troupe/sandbox/network/dns_message.hpp"
#include "troupe/sandbox/network/socks5.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace troupe;

namespace {

void check(bool x) {
  if (!x)
    std::abort();
}

// What is let through is in the one spelling that is matched and dialled.
void check_destination(const network_destination& x) {
  auto text = to_string(x);
  auto again = read_destination(text);
  check(x.port != 0 && again && to_string(*again) == text
        && again->host.kind == x.host.kind);
  for (auto byte : text)
    check(byte > ' ' && byte < 0x7f && (byte < 'A' || byte > 'Z'));
}

// However a head is cut, its end is the same, and what is sent on of it would
// be read as the same request.
void check_http(std::string_view text, size_t cut) {
  auto whole = http_head_scanner{};
  auto state = whole.scan(text);
  auto pieces = http_head_scanner{};
  auto first = pieces.scan(text.substr(0, cut));
  if (first == http_head_scanner::state::incomplete)
    first = pieces.scan(text);
  check(first == state);
  if (state != http_head_scanner::state::complete)
    return;
  check(pieces.size() == whole.size() && whole.size() <= text.size());
  auto read = read_proxy_request(text.substr(0, whole.size()));
  auto* request = std::get_if<proxy_request>(&read);
  if (request == nullptr) {
    for (auto byte : std::get<gateway_refusal>(read).destination)
      check(byte > ' ' && byte < 0x7f);
    return;
  }
  check_destination(request->destination);
  check(!request->framing.is_chunked || !request->framing.content_length);
  if (request->is_connect)
    return;
  const auto& head = request->head;
  auto host = read_destination({head["Host"].data(), head["Host"].size()}, 80);
  check(head.count("Host") == 1 && host
        && to_string(*host) == to_string(request->destination));
  for (const auto* name : {"Connection", "Proxy-Authorization", "Upgrade",
                           "Transfer-Encoding", "Content-Length"})
    check(head.count(name) == 0);
  check(head.target().starts_with('/'));
}

void check_socks5(std::span<const uint8_t> bytes) {
  auto greeting = read_socks5_greeting(bytes);
  check(greeting.size <= bytes.size());
  auto request = read_socks5_request(bytes);
  check(request.size <= bytes.size());
  if (!request.destination)
    return;
  check(request.state == socks5_state::complete);
  check_destination(*request.destination);
}

// An answer is of the question that was asked.
void check_dns(std::span<const uint8_t> bytes) {
  auto question = read_dns_query(bytes);
  if (!question)
    return;
  auto answer = write_dns_answer(*question, question->status, 0x7f800001);
  check(answer.size() >= 12 && answer[0] == bytes[0] && answer[1] == bytes[1]);
  // Not to be taken for a question.
  check(!read_dns_query(answer));
}

void check_entry(std::string_view text) {
  auto entry = parse_allow_entry(text);
  if (!entry)
    return;
  auto prefix = std::string{entry->is_wildcard ? "*." : ""};
  check(prefix + to_string(network_destination{entry->host, entry->port})
        == text);
}

} // namespace

// The first byte says which of the gateway's parsers gets the rest.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  // A copy of its own: reading past it is found.
  auto bytes = std::vector<uint8_t>(data + 1, data + size);
  auto text = std::string_view{reinterpret_cast<const char*>(bytes.data()),
                               bytes.size()};
  switch (data[0] % 4) {
    case 0:
      check_http(text, bytes.empty() ? 0 : bytes.back() % bytes.size());
      break;
    case 1:
      check_socks5(bytes);
      break;
    case 2:
      check_dns(bytes);
      break;
    default:
      check_entry(text);
      if (auto x = read_destination(text, 80))
        check_destination(*x);
  }
  return 0;
}
