#include "troupe/sandbox/network/detail/dns_server.hpp"

#include "troupe/sandbox/network/detail/http_head.hpp"
#include "troupe/sandbox/network/dns_message.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <utility>

namespace troupe {

namespace {

using boost::asio::redirect_error;
using boost::asio::use_awaitable;
using boost::asio::ip::udp;
using boost::system::error_code;

constexpr uint16_t internet = 1;

void report(gateway_core& core, std::string name, gateway_reason reason) {
  auto x = gateway_decision{};
  x.protocol = gateway_protocol::dns;
  x.destination = std::move(name);
  x.allowed = reason == gateway_reason::allowed;
  x.reason = reason;
  core.decide_once(x);
}

} // namespace

std::optional<std::vector<uint8_t>>
answer_dns(gateway_core& core, std::span<const uint8_t> message) {
  auto question = read_dns_query(message);
  if (!question)
    return std::nullopt;
  if (question->status != dns_status::no_error)
    return write_dns_answer(*question, question->status);
  auto host = read_host(question->name);
  auto is_covered = host && host->kind == host_kind::name
                    && question->klass == internet
                    && core.allowed().covers(host->text);
  if (!is_covered) {
    report(core, host ? host->text : printable(question->name),
           gateway_reason::not_allowed);
    return write_dns_answer(*question, dns_status::no_such_name);
  }
  if (question->type != static_cast<uint16_t>(dns_type::a))
    return write_dns_answer(*question, dns_status::no_error);
  auto address = core.names().address_of(host->text);
  report(core, host->text,
         address ? gateway_reason::allowed : gateway_reason::limit);
  if (!address)
    return write_dns_answer(*question, dns_status::server_failure);
  return write_dns_answer(*question, dns_status::no_error, address->to_uint());
}

boost::asio::awaitable<void>
serve_dns_socket(gateway_core* core, std::shared_ptr<udp::socket> socket) {
  // One byte more tells what was cut.
  auto buffer = std::array<uint8_t, longest_dns_query + 1>{};
  auto failed = error_code{};
  while (failed != boost::asio::error::bad_descriptor
         && failed != boost::asio::error::operation_aborted) {
    auto sender = udp::endpoint{};
    auto space = boost::asio::buffer(buffer);
    auto size = co_await socket->async_receive_from(
      space, sender, redirect_error(use_awaitable, failed));
    if (failed)
      continue;
    auto answer = answer_dns(*core, std::span{buffer}.first(size));
    if (!answer)
      continue;
    // Who asked may be gone.
    auto bytes = boost::asio::buffer(*answer);
    co_await socket->async_send_to(bytes, sender,
                                   redirect_error(use_awaitable, failed));
  }
}

} // namespace troupe
