#include "support/http_server.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace troupe::test {

namespace {

// Waits until the peer closes or sends, or the time is over.
void wait_for_peer(int fd, int timeout) {
  auto entry = pollfd{fd, POLLIN, 0};
  poll(&entry, 1, timeout);
}

size_t body_size(const std::string& headers) {
  auto text = headers;
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  auto name = std::string_view{"content-length:"};
  auto pos = text.find(name);
  return pos == std::string::npos
           ? 0
           : std::strtoul(text.c_str() + pos + name.size(), nullptr, 10);
}

bool read_more(int fd, std::string& buffer) {
  auto bytes = std::array<char, 16384>{};
  auto count = recv(fd, bytes.data(), bytes.size(), 0);
  if (count > 0)
    buffer.append(bytes.data(), static_cast<size_t>(count));
  return count > 0;
}

} // namespace

bool http_connection::send(std::string_view bytes) {
  while (open_ && !bytes.empty()) {
    auto count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0)
      open_ = false;
    else
      bytes.remove_prefix(static_cast<size_t>(count));
  }
  return open_;
}

bool http_connection::send_chunk(std::string_view bytes) {
  return send(chunk_of(bytes));
}

void http_connection::pause(std::chrono::milliseconds time) {
  wait_for_peer(fd_, static_cast<int>(time.count()));
}

void http_connection::hold() {
  wait_for_peer(fd_, 60'000);
  open_ = false;
}

void http_connection::close() {
  open_ = false;
}

void http_connection::reset() {
  auto now = linger{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  open_ = false;
}

http_server::http_server(std::vector<http_script> scripts)
  : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
    scripts_(scripts.begin(), scripts.end()) {
  auto address = sockaddr_in{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  auto size = socklen_t{sizeof(address)};
  if (bind(listener_.get(), generic, size) != 0
      || listen(listener_.get(), 512) != 0
      || getsockname(listener_.get(), generic, &size) != 0)
    throw std::runtime_error("no port on loopback");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

http_server::~http_server() {
  shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  for (const auto& fd : sockets_)
    shutdown(fd.get(), SHUT_RDWR);
  for (auto& thread : threads_)
    thread.join();
}

std::string http_server::url(std::string_view path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + std::string{path};
}

std::vector<seen_request> http_server::requests() const {
  auto guard = std::lock_guard{mutex_};
  return requests_;
}

size_t http_server::connections() const {
  auto guard = std::lock_guard{mutex_};
  return sockets_.size();
}

size_t http_server::open_connections() const {
  return open_.load();
}

void http_server::accept_all() {
  for (;;) {
    auto fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      return;
    auto one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    auto guard = std::lock_guard{mutex_};
    sockets_.emplace_back(fd);
    ++open_;
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

// The descriptor stays open until the server goes, so its number cannot be
// reused by then; the client sees the shutdown.
void http_server::serve(int fd) {
  auto buffer = std::string{};
  auto request = seen_request{};
  auto connection = http_connection{fd};
  while (connection.open_ && read_request(fd, buffer, request))
    next_script(request)(connection);
  shutdown(fd, SHUT_RDWR);
  --open_;
}

bool http_server::read_request(int fd, std::string& buffer,
                               seen_request& out) const {
  auto end = size_t{0};
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
    if (!read_more(fd, buffer))
      return false;
  auto line_end = buffer.find("\r\n");
  out.line = buffer.substr(0, line_end);
  out.headers = buffer.substr(line_end + 2, end - line_end);
  auto size = body_size(out.headers);
  buffer.erase(0, end + 4);
  while (buffer.size() < size)
    if (!read_more(fd, buffer))
      return false;
  out.body = buffer.substr(0, size);
  buffer.erase(0, size);
  return true;
}

http_script http_server::next_script(const seen_request& request) {
  auto guard = std::lock_guard{mutex_};
  requests_.push_back(request);
  auto result = scripts_.front();
  if (scripts_.size() > 1)
    scripts_.pop_front();
  return result;
}

http_script reply(int status, std::string body, std::string headers) {
  auto text = "HTTP/1.1 " + std::to_string(status) + " Status\r\n"
              + "content-length: " + std::to_string(body.size()) + "\r\n"
              + headers + "\r\n" + body;
  return [text](http_connection& client) { client.send(text); };
}

http_script reply_in_chunks(std::vector<std::string> chunks,
                            std::chrono::milliseconds between) {
  return [chunks, between](http_connection& client) {
    client.send(stream_head());
    for (const auto& chunk : chunks) {
      client.send_chunk(chunk);
      if (between.count() > 0)
        client.pause(between);
    }
    client.send("0\r\n\r\n");
  };
}

http_script reply_and_close(std::string bytes) {
  return [bytes](http_connection& client) {
    client.send(bytes);
    client.close();
  };
}

http_script reply_and_hold(std::string bytes) {
  return [bytes](http_connection& client) {
    client.send(bytes);
    client.hold();
  };
}

std::string stream_head() {
  return "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
         "transfer-encoding: chunked\r\n\r\n";
}

std::string chunk_of(std::string_view bytes) {
  auto size = std::array<char, 24>{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return std::string{size.data()} + std::string{bytes} + "\r\n";
}

} // namespace troupe::test
