#include "sandbox/gateway_support.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace troupe::test {

namespace {

constexpr auto patience = std::chrono::seconds{60};

sockaddr_in endpoint(const std::string& address, uint16_t port) {
  auto result = sockaddr_in{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &result.sin_addr) != 1)
    throw std::runtime_error("not an address: " + address);
  return result;
}

const sockaddr* generic(const sockaddr_in& x) {
  return reinterpret_cast<const sockaddr*>(&x);
}

unique_fd connected_socket(const std::string& address, uint16_t port) {
  auto result = unique_fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  auto to = endpoint(address, port);
  if (!result || ::connect(result.get(), generic(to), sizeof to) != 0)
    throw std::runtime_error("cannot connect to a server of the test");
  return result;
}

} // namespace

bool soon(const std::function<bool()>& condition) {
  auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

unique_fd bound_socket(int type, const std::string& address, uint16_t port) {
  auto result = unique_fd{::socket(AF_INET, type | SOCK_CLOEXEC, 0)};
  auto on = endpoint(address, port);
  auto yes = 1;
  ::setsockopt(result.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!result || ::bind(result.get(), generic(on), sizeof on) != 0
      || (type == SOCK_STREAM && ::listen(result.get(), 128) != 0))
    throw std::runtime_error("cannot bind a socket of the test");
  return result;
}

uint16_t port_of(const unique_fd& socket) {
  auto on = sockaddr_in{};
  auto size = socklen_t{sizeof on};
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&on), &size);
  return ntohs(on.sin_port);
}

// -- peer --------------------------------------------------------------------

peer::peer(unique_fd socket) : socket_(std::move(socket)) {
  auto limit = timeval{patience.count(), 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

peer::peer(uint16_t port, const std::string& address)
  : peer(connected_socket(address, port)) {
  // nop
}

bool peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    auto count = ::send(socket_.get(), bytes.data(), bytes.size(),
                        MSG_NOSIGNAL);
    if (count <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool peer::read_some() {
  auto bytes = std::array<char, 65536>{};
  auto count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  was_reset_ = count < 0 && errno == ECONNRESET;
  if (count > 0)
    buffer_.append(bytes.data(), static_cast<size_t>(count));
  return count > 0;
}

std::string peer::read(size_t size) {
  while (buffer_.size() < size && read_some())
    continue;
  auto result = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return result;
}

std::string peer::read_until(std::string_view end) {
  auto found = buffer_.find(end);
  while (found == std::string::npos && read_some())
    found = buffer_.find(end);
  return read(found == std::string::npos ? buffer_.size() : found + end.size());
}

std::string peer::read_piece() {
  if (buffer_.empty())
    read_some();
  return std::exchange(buffer_, {});
}

std::string peer::read_all() {
  while (read_some())
    continue;
  return std::exchange(buffer_, {});
}

std::string peer::ask(std::string_view bytes) {
  send(bytes);
  return read_all();
}

void peer::end_output() {
  ::shutdown(socket_.get(), SHUT_WR);
}

void peer::reset() {
  auto now = linger{1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  socket_.reset();
}

// -- tcp_server --------------------------------------------------------------

tcp_server::tcp_server(script what, const std::string& address)
  : listener_(bound_socket(SOCK_STREAM, address)),
    port_(port_of(listener_)),
    acceptor_([this, what = std::move(what)] { accept_all(what); }) {
  // nop
}

tcp_server::~tcp_server() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  {
    auto guard = std::lock_guard{mutex_};
    for (auto& x : peers_)
      if (x.socket())
        ::shutdown(x.socket().get(), SHUT_RDWR);
  }
  for (auto& x : threads_)
    x.join();
}

void tcp_server::accept_all(const script& what) {
  while (true) {
    auto socket
      = unique_fd{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!socket)
      return;
    ++connections_;
    auto guard = std::lock_guard{mutex_};
    auto& x = peers_.emplace_back(std::move(socket));
    threads_.emplace_back([this, &x, what] {
      what(x);
      auto end = std::lock_guard{mutex_};
      x = peer{unique_fd{}};
    });
  }
}

void echo(peer& x) {
  for (auto piece = x.read_piece(); !piece.empty(); piece = x.read_piece())
    if (!x.send(piece))
      return;
}

// -- test_gateway ------------------------------------------------------------

test_gateway::test_gateway(setup x) {
  auto options = gateway_options{};
  options.network.mode = "allowlist";
  options.network.allow = std::move(x.allow);
  options.limits = x.limits;
  options.resolve = x.resolve ? std::move(x.resolve)
                              : resolve_to({"127.0.0.1"});
  auto policy = address_policy{x.allow_private, {}};
  options.check_address = [policy, ports = std::move(x.permitted)](
                            const boost::asio::ip::tcp::endpoint& to) {
    auto is_ours = to.address() == boost::asio::ip::make_address("127.0.0.1")
                   && std::count(ports.begin(), ports.end(), to.port()) > 0;
    return is_ours ? address_class::global
                   : forbidden_class(to.address(), policy);
  };
  options.on_decision = [this](const gateway_decision& decision) {
    auto guard = std::lock_guard{mutex_};
    decisions_.push_back(decision);
  };
  auto made = gateway::make(std::move(options));
  if (!made)
    throw std::runtime_error("no gateway");
  sut_ = std::move(*made);
  auto listener = bound_socket(SOCK_STREAM, "127.0.0.1");
  port_ = port_of(listener);
  if (sut_->serve_proxy(std::move(listener)))
    throw std::runtime_error("the gateway does not serve");
}

std::vector<gateway_decision> test_gateway::decisions() const {
  auto guard = std::lock_guard{mutex_};
  return decisions_;
}

std::vector<std::string> test_gateway::told() const {
  auto result = std::vector<std::string>{};
  for (const auto& x : decisions())
    result.push_back(std::string{to_string(x.protocol)} + ' ' + x.destination
                     + (x.allowed ? " + " : " - ")
                     + std::string{to_string(x.reason)});
  return result;
}

destination_counts test_gateway::counts(const std::string& destination) const {
  auto all = sut_->counts();
  return all[destination];
}

resolver_function resolve_to(std::vector<std::string> addresses) {
  auto found = resolved_addresses{};
  for (const auto& x : addresses)
    found.push_back(boost::asio::ip::make_address(x));
  return [found](const std::string&, auto done) { done(found); };
}

std::string refused(std::string_view status, std::string_view why) {
  auto body = "troupe gateway: " + std::string{why} + '\n';
  return "HTTP/1.1 " + std::string{status}
         + "\r\nContent-Type: text/plain\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

} // namespace troupe::test
