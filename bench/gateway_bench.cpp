// What the gateway costs: 64 MiB through a CONNECT tunnel against a connection
// without one, small requests of plain HTTP on kept connections, and opening a
// tunnel. Client, server and gateway share the machine.

#include "troupe/sandbox/network/gateway.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace {

using troupe::unique_fd;

constexpr auto bulk = size_t{64} << 20;
constexpr auto piece = size_t{64} << 10;
constexpr auto answer
  = std::string_view{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"};

sockaddr_in loopback(uint16_t port) {
  auto result = sockaddr_in{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return result;
}

unique_fd make_socket() {
  auto result = unique_fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!result)
    throw std::runtime_error("no socket");
  auto yes = 1;
  ::setsockopt(result.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return result;
}

unique_fd make_listener() {
  auto result = make_socket();
  auto on = loopback(0);
  if (::bind(result.get(), reinterpret_cast<sockaddr*>(&on), sizeof on) != 0
      || ::listen(result.get(), 128) != 0)
    throw std::runtime_error("cannot listen");
  return result;
}

uint16_t port_of(const unique_fd& socket) {
  auto on = sockaddr_in{};
  auto size = socklen_t{sizeof on};
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&on), &size);
  return ntohs(on.sin_port);
}

unique_fd connect_to(uint16_t port) {
  auto result = make_socket();
  auto to = loopback(port);
  if (::connect(result.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
    throw std::runtime_error("cannot connect");
  return result;
}

void send_all(const unique_fd& to, std::string_view bytes) {
  while (!bytes.empty()) {
    auto count = ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0)
      throw std::runtime_error("cannot send");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

// Reads until `end` is the last that came.
bool read_until(const unique_fd& from, std::string_view end) {
  auto text = std::string{};
  auto buffer = std::array<char, 4096>{};
  while (!text.ends_with(end)) {
    auto count = ::recv(from.get(), buffer.data(), buffer.size(), 0);
    if (count <= 0)
      return false;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  return true;
}

/// Answers requests, and one for /bulk with 64 MiB.
class server {
public:
  server()
    : listener_(make_listener()),
      port_(port_of(listener_)),
      acceptor_([this] { accept_all(); }) {
    // nop
  }

  server(const server&) = delete;
  server& operator=(const server&) = delete;

  ~server() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    // The clients are gone by now.
    for (auto& x : threads_)
      x.join();
  }

  uint16_t port() const {
    return port_;
  }

private:
  void accept_all() {
    while (true) {
      auto socket = std::make_shared<unique_fd>(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!*socket)
        return;
      threads_.emplace_back([socket] { serve(*socket); });
    }
  }

  static void serve(const unique_fd& client) {
    auto yes = 1;
    ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    auto buffer = std::array<char, 4096>{};
    auto bytes = std::string(piece, 'x');
    while (true) {
      auto count = ::recv(client.get(), buffer.data(), buffer.size(), 0);
      if (count <= 0)
        return;
      auto is_bulk = std::string_view{buffer.data(), 4} == "bulk";
      for (auto sent = size_t{0}; is_bulk && sent < bulk; sent += piece)
        send_all(client, bytes);
      if (!is_bulk)
        send_all(client, answer);
    }
  }

  unique_fd listener_;
  uint16_t port_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// A gateway that leads to a server under the name a.test.
class proxy {
public:
  explicit proxy(const server& to)
    : target_("a.test:" + std::to_string(to.port())) {
    auto options = troupe::gateway_options{};
    options.network.allow = {target_};
    options.resolve = [](const std::string&, auto done) {
      done({boost::asio::ip::make_address("127.0.0.1")});
    };
    options.check_address = [](const auto&) {
      return troupe::address_class::global;
    };
    auto made = troupe::gateway::make(std::move(options));
    if (!made)
      throw std::runtime_error("no gateway");
    gateway_ = std::move(*made);
    auto listener = make_listener();
    port_ = port_of(listener);
    if (gateway_->serve_proxy(std::move(listener)))
      throw std::runtime_error("the gateway does not serve");
  }

  uint16_t port() const {
    return port_;
  }

  const std::string& target() const {
    return target_;
  }

  unique_fd tunnel() const {
    auto result = connect_to(port_);
    send_all(result, "CONNECT " + target_ + " HTTP/1.1\r\n\r\n");
    read_until(result, "\r\n\r\n");
    return result;
  }

private:
  std::string target_;
  std::unique_ptr<troupe::gateway> gateway_;
  uint16_t port_ = 0;
};

void fetch_bulk(benchmark::State& state, const unique_fd& from) {
  auto buffer = std::vector<char>(piece);
  for (auto _ : state) {
    send_all(from, "bulk");
    for (auto left = bulk; left > 0;) {
      auto count = ::recv(from.get(), buffer.data(), buffer.size(), 0);
      if (count <= 0)
        return state.SkipWithError("cut short");
      left -= static_cast<size_t>(count);
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bulk));
}

void direct_64_mib(benchmark::State& state) {
  auto to = server{};
  fetch_bulk(state, connect_to(to.port()));
}

void tunnel_64_mib(benchmark::State& state) {
  auto to = server{};
  auto through = proxy{to};
  fetch_bulk(state, through.tunnel());
}

void ask(benchmark::State& state, const unique_fd& from,
         const std::string& request) {
  for (auto _ : state) {
    send_all(from, request);
    if (!read_until(from, "hello"))
      return state.SkipWithError("no answer");
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}

void direct_request(benchmark::State& state) {
  auto to = server{};
  ask(state, connect_to(to.port()), "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
}

void http_request(benchmark::State& state) {
  auto to = server{};
  auto through = proxy{to};
  ask(state, connect_to(through.port()),
      "GET http://" + through.target()
        + "/ HTTP/1.1\r\nHost: " + through.target() + "\r\n\r\n");
}

void tunnel_request(benchmark::State& state) {
  auto to = server{};
  auto through = proxy{to};
  ask(state, through.tunnel(), "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
}

void open_tunnel(benchmark::State& state) {
  auto to = server{};
  auto through = proxy{to};
  for (auto _ : state)
    benchmark::DoNotOptimize(through.tunnel());
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}

BENCHMARK(direct_64_mib)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(tunnel_64_mib)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(direct_request)->UseRealTime();
BENCHMARK(tunnel_request)->UseRealTime();
BENCHMARK(http_request)->UseRealTime();
// Bounded: each leaves a port behind for a while.
BENCHMARK(open_tunnel)->Iterations(2000)->UseRealTime();

} // namespace

BENCHMARK_MAIN();
