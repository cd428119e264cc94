#include "troupe/config/errc.hpp"
#include "troupe/sandbox/remote/json_remote_client.hpp"
#include "troupe/sandbox/remote/remote_protocol.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <future>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;
using answer = caf::expected<std::string>;

/// Where requests go.
struct address {
  std::string host;
  std::string port = "80";
  std::string path = "/";
};

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

bool is_visible(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > 0x20 && c < 0x7f; });
}

// What frames a request is ours.
bool is_header(const std::string& name, const std::string& value) {
  auto is_name = !name.empty()
                 && std::all_of(name.begin(), name.end(), [](char c) {
                      return is_host_character(c) || c == '_';
                    });
  for (const auto* ours : {"host", "content-length", "content-type",
                           "connection", "transfer-encoding"})
    if (boost::beast::iequals(name, ours))
      return false;
  return is_name && std::all_of(value.begin(), value.end(), [](char c) {
           return c >= 0x20 && c < 0x7f;
         });
}

std::optional<address> parse_url(const std::string& url) {
  constexpr auto scheme = std::string_view{"http://"};
  if (!url.starts_with(scheme) || !is_visible(url))
    return std::nullopt;
  auto rest = url.substr(scheme.size());
  auto result = address{};
  if (auto slash = rest.find('/'); slash != rest.npos) {
    result.path = rest.substr(slash);
    rest.resize(slash);
  }
  if (auto colon = rest.find(':'); colon != rest.npos) {
    result.port = rest.substr(colon + 1);
    rest.resize(colon);
  }
  auto port_is_number = !result.port.empty() && result.port.size() <= 5
                        && result.port.find_first_not_of("0123456789")
                             == std::string::npos;
  result.host = rest;
  if (rest.empty() || !port_is_number
      || !std::all_of(rest.begin(), rest.end(), is_host_character))
    return std::nullopt;
  return result;
}

/// One request on a connection of its own, kept by what it waits for.
class http_call : public std::enable_shared_from_this<http_call> {
public:
  http_call(boost::asio::io_context& loop, std::function<void(answer)> done)
    : resolver_(loop),
      socket_(loop),
      timer_(loop),
      done_(std::move(done)) {
    // nop
  }

  void start(const address& to,
             const std::map<std::string, std::string>& headers,
             std::string body, caf::timespan most) {
    request_ = {http::verb::post, to.path, 11};
    request_.set(http::field::host, to.host + ":" + to.port);
    request_.set(http::field::content_type, "application/json");
    request_.keep_alive(false);
    for (const auto& [name, value] : headers)
      request_.set(name, value);
    request_.body() = std::move(body);
    request_.prepare_payload();
    timer_.expires_after(most);
    timer_.async_wait([self = shared_from_this()](error_code stopped) {
      if (!stopped)
        self->end("the remote sandbox does not answer");
    });
    resolver_.async_resolve(
      to.host, to.port,
      [self = shared_from_this()](error_code failed, auto found) {
        if (failed)
          return self->end("the remote sandbox is not found: "
                           + failed.message());
        self->connect(found);
      });
  }

  /// Says that nothing more is wanted; the answer still comes, when what was
  /// asked for has ended.
  void cancel() {
    is_cancelled_ = true;
    if (is_reading_)
      end_output();
  }

private:
  void connect(const tcp::resolver::results_type& found) {
    boost::asio::async_connect(
      socket_, found,
      [self = shared_from_this()](error_code failed, const auto&) {
        if (failed)
          return self->end("the remote sandbox cannot be reached: "
                           + failed.message());
        self->write();
      });
  }

  void write() {
    http::async_write(socket_, request_,
                      [self = shared_from_this()](error_code failed, size_t) {
                        if (failed)
                          return self->end("the remote sandbox does not read: "
                                           + failed.message());
                        self->read();
                      });
  }

  void end_output() {
    auto ignored = error_code{};
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
  }

  void read() {
    is_reading_ = true;
    if (is_cancelled_)
      end_output();
    parser_.body_limit(max_remote_message);
    http::async_read(socket_, buffer_, parser_,
                     [self = shared_from_this()](error_code failed, size_t) {
                       if (failed)
                         return self->end("the remote sandbox answers badly: "
                                          + failed.message());
                       self->take();
                     });
  }

  void take() {
    auto status = parser_.get().result_int();
    if (status != 200)
      return end("the remote sandbox answers with the status "
                 + std::to_string(status));
    if (done_)
      std::exchange(done_, nullptr)(std::move(parser_.get().body()));
    close();
  }

  void end(std::string why) {
    if (done_)
      std::exchange(done_, nullptr)(make_error(errc::sandbox, std::move(why)));
    close();
  }

  void close() {
    auto ignored = error_code{};
    timer_.cancel();
    resolver_.cancel();
    socket_.close(ignored);
  }

  tcp::resolver resolver_;
  tcp::socket socket_;
  boost::asio::steady_timer timer_;
  http::request<http::string_body> request_;
  http::response_parser<http::string_body> parser_;
  boost::beast::flat_buffer buffer_{max_remote_message + (64 << 10)};
  std::function<void(answer)> done_;
  bool is_reading_ = false;
  bool is_cancelled_ = false;
};

class http_transport : public remote_transport {
public:
  http_transport(std::shared_ptr<process_thread> thread, address to,
                 std::map<std::string, std::string> headers)
    : thread_(std::move(thread)),
      to_(std::move(to)),
      headers_(std::move(headers)) {
    // nop
  }

  answer call(uint64_t, std::string request, caf::timespan most,
              std::stop_token stop) override {
    auto told = std::make_shared<std::promise<answer>>();
    auto result = told->get_future();
    auto one = std::make_shared<http_call>(thread_->loop(), [told](answer x) {
      told->set_value(std::move(x));
    });
    thread_->post([one, to = to_, headers = headers_, most,
                   request = std::move(request)]() mutable {
      one->start(to, headers, std::move(request), most);
    });
    auto on_stop = std::stop_callback{std::move(stop), [this, one] {
                                        thread_->post([one] { one->cancel(); });
                                      }};
    return result.get();
  }

private:
  std::shared_ptr<process_thread> thread_;
  address to_;
  std::map<std::string, std::string> headers_;
};

} // namespace

caf::expected<std::shared_ptr<remote_transport>>
make_http_transport(std::shared_ptr<process_thread> thread,
                    const std::string& url,
                    std::map<std::string, std::string> headers) {
  auto to = parse_url(url);
  if (!to)
    return make_error(errc::configuration,
                      "the URL of a remote sandbox is http://HOST:PORT/PATH",
                      url);
  for (const auto& [name, value] : headers)
    if (!is_header(name, value))
      return make_error(errc::configuration,
                        "the header \"" + name
                          + "\" cannot be sent to a remote sandbox",
                        "sandbox.remote.headers");
  return std::shared_ptr<remote_transport>{std::make_shared<http_transport>(
    std::move(thread), std::move(*to), std::move(headers))};
}

} // namespace troupe
