#include "troupe/sandbox/network/detail/http_exchange.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>

#include <utility>

namespace troupe {

namespace {

namespace http = boost::beast::http;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;
using boost::system::error_code;

constexpr size_t piece_size = 32 << 10;
constexpr int most_interim_responses = 8;

using response_parser = http::response_parser<http::buffer_body>;

// Reads a piece of the body of `parser`, and leaves how long it is in it: what
// came is passed on at once, also if it is little.
template <class Parser>
boost::asio::awaitable<error_code>
read_piece(http_exchange_ptr self, boost::asio::ip::tcp::socket* from,
           boost::beast::flat_buffer* buffer, Parser* parser) {
  auto& body = parser->get().body();
  body.data = self->piece.data();
  body.size = self->piece.size();
  auto failed = error_code{};
  co_await http::async_read_some(*from, *buffer, *parser,
                                 redirect_error(use_awaitable, failed));
  self->client->limit.touch();
  body.size = self->piece.size() - body.size;
  if (failed == http::error::need_buffer)
    failed = {};
  co_return failed;
}

// Writes what is in the body of the message that `out` is about.
template <class Serializer>
boost::asio::awaitable<error_code> write_piece(http_exchange_ptr self,
                                               boost::asio::ip::tcp::socket* to,
                                               Serializer* out) {
  auto failed = error_code{};
  co_await http::async_write(*to, *out, redirect_error(use_awaitable, failed));
  self->client->limit.touch();
  if (failed == http::error::need_buffer)
    failed = {};
  co_return failed;
}

/// How passing a body on went.
struct pass_end {
  error_code failed;
  /// Whether it was reading that failed.
  bool is_source = false;
};

// Passes the body that `parser` is about to read into `message`, of which `out`
// has not written anything.
template <class Parser, class Message, class Serializer>
boost::asio::awaitable<pass_end>
pass_body(http_exchange_ptr self, boost::asio::ip::tcp::socket* from,
          boost::beast::flat_buffer* buffer, Parser* parser,
          boost::asio::ip::tcp::socket* to, Message* message, Serializer* out,
          std::atomic<uint64_t>* count) {
  auto& body = message->body();
  body.data = nullptr;
  body.size = 0;
  body.more = !parser->is_done();
  auto failed = co_await write_piece(self, to, out);
  while (!failed && !parser->is_done()) {
    failed = co_await read_piece(self, from, buffer, parser);
    if (failed)
      co_return pass_end{failed, true};
    auto size = parser->get().body().size;
    body.data = size > 0 ? self->piece.data() : nullptr;
    body.size = size;
    body.more = !parser->is_done();
    *count += size;
    if (size > 0 || !body.more)
      failed = co_await write_piece(self, to, out);
  }
  co_return pass_end{failed, false};
}

request_end classify(const pass_end& x) {
  if (!x.failed)
    return request_end::sent;
  if (!x.is_source)
    return request_end::server_gone;
  auto is_cut = x.failed == http::error::partial_message
                || x.failed == http::error::end_of_stream
                || x.failed.category() == boost::system::system_category();
  return is_cut ? request_end::client_gone : request_end::malformed;
}

// The first response that is not an interim one; nothing when there is none
// that can be passed on.
boost::asio::awaitable<std::shared_ptr<response_parser>>
read_response_head(http_exchange_ptr self,
                   std::shared_ptr<const proxy_request> request) {
  auto failed = error_code{};
  auto& from = *self->upstream->socket;
  for (auto i = 0; i < most_interim_responses && !failed; ++i) {
    auto parser = std::make_shared<response_parser>();
    parser->header_limit(
      static_cast<uint32_t>(self->client->core->limits().head));
    parser->body_limit(boost::none);
    parser->skip(request->head.method() == http::verb::head);
    co_await http::async_read_header(from, self->buffer, *parser,
                                     redirect_error(use_awaitable, failed));
    self->client->limit.touch();
    // Nobody asked it to switch protocols.
    auto status = parser->get().result_int();
    if (failed || status == 101)
      break;
    if (status / 100 != 1)
      co_return parser;
  }
  co_return nullptr;
}

bool is_without_body(const proxy_request& request, unsigned status) {
  return request.head.method() == http::verb::head || status == 204
         || status == 304;
}

} // namespace

boost::asio::awaitable<request_end>
send_request(http_exchange_ptr self,
             std::shared_ptr<const proxy_request> request, std::string head) {
  auto parser = http::request_parser<http::buffer_body>{};
  parser.eager(false);
  parser.header_limit(static_cast<uint32_t>(head.size() + 1));
  parser.body_limit(boost::none);
  // The head was read before, by a parser that knows no body.
  auto ignored = error_code{};
  parser.put(boost::asio::buffer(head), ignored);
  auto message = http::request<http::buffer_body>{request->head};
  if (request->framing.is_chunked)
    message.chunked(true);
  else if (request->framing.content_length)
    message.content_length(*request->framing.content_length);
  auto out = http::request_serializer<http::buffer_body>{message};
  self->piece.resize(piece_size);
  auto end = co_await pass_body(self, &self->client->socket,
                                &self->client->buffer, &parser,
                                &*self->upstream->socket, &message, &out,
                                &self->upstream->counter->bytes_sent);
  co_return classify(end);
}

boost::asio::awaitable<response_end>
pass_response(http_exchange_ptr self,
              std::shared_ptr<const proxy_request> request) {
  auto parser = co_await read_response_head(self, request);
  if (!parser)
    co_return response_end::nothing;
  auto status = parser->get().result_int();
  auto framing = read_framing(parser->get());
  if (!framing)
    co_return response_end::nothing;
  auto message
    = http::response<http::buffer_body>{forwarded(parser->get().base())};
  auto no_body = is_without_body(*request, status);
  auto is_open_ended = !no_body && !framing->is_chunked
                       && !framing->content_length;
  auto keep = request->keep_alive && request->knows_chunks && !is_open_ended;
  if (framing->is_chunked && request->knows_chunks)
    message.chunked(true);
  else if (framing->content_length && status != 204)
    message.content_length(*framing->content_length);
  message.keep_alive(keep);
  auto may_ask_again = parser->keep_alive() && !is_open_ended;
  auto out = http::response_serializer<http::buffer_body>{message};
  auto end = pass_end{};
  if (no_body)
    co_await http::async_write_header(
      self->client->socket, out, redirect_error(use_awaitable, end.failed));
  else
    end = co_await pass_body(self, &*self->upstream->socket, &self->buffer,
                             parser.get(), &self->client->socket, &message,
                             &out, &self->upstream->counter->bytes_received);
  // What comes unasked belongs to no request.
  if (end.failed || !may_ask_again || self->buffer.size() > 0)
    self->upstream.reset();
  if (end.failed)
    co_return response_end::broken;
  co_return keep ? response_end::keep : response_end::close;
}

} // namespace troupe
