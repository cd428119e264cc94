#pragma once

#include "support/catch.hpp"

#include "troupe/sandbox/network/gateway.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace troupe::test {

/// Whether `condition` comes true within a generous time.
bool soon(const std::function<bool()>& condition);

/// A socket bound to `address`, on `port` or any; listening, if it is of TCP.
unique_fd bound_socket(int type, const std::string& address, uint16_t port = 0);

uint16_t port_of(const unique_fd& socket);

/// A blocking connection of a test. Gives up after a generous time.
class peer {
public:
  explicit peer(unique_fd socket);

  /// Connects to loopback.
  explicit peer(uint16_t port, const std::string& address = "127.0.0.1");

  /// Sends all of it; false when the other side is gone.
  bool send(std::string_view bytes);

  /// Reads until `size` bytes are there or the connection ends.
  std::string read(size_t size);

  /// Reads until `end` has been read, or the connection ends.
  std::string read_until(std::string_view end);

  /// Reads what there is, at least a byte; nothing at the end.
  std::string read_piece();

  /// Reads to the end.
  std::string read_all();

  /// Sends `bytes` and reads to the end.
  std::string ask(std::string_view bytes);

  /// No more comes from this side.
  void end_output();

  /// Breaks the connection, as a crash does.
  void reset();

  /// Whether the last reading ended with a reset.
  bool was_reset() const {
    return was_reset_;
  }

  const unique_fd& socket() const {
    return socket_;
  }

private:
  bool read_some();

  unique_fd socket_;
  std::string buffer_;
  bool was_reset_ = false;
};

/// A server on loopback that does something with each connection, on a thread
/// for each. The destructor ends them.
class tcp_server {
public:
  using script = std::function<void(peer&)>;

  explicit tcp_server(script what, const std::string& address = "127.0.0.1");

  tcp_server(const tcp_server&) = delete;
  tcp_server& operator=(const tcp_server&) = delete;

  ~tcp_server();

  uint16_t port() const {
    return port_;
  }

  /// "NAME:PORT".
  std::string at(const std::string& name) const {
    return name + ':' + std::to_string(port_);
  }

  size_t connections() const {
    return connections_;
  }

private:
  void accept_all(const script& what);

  unique_fd listener_;
  uint16_t port_;
  std::atomic<size_t> connections_ = 0;
  std::mutex mutex_;
  std::list<peer> peers_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// Sends back what it is sent, and ends when the client does.
void echo(peer& x);

/// A gateway, with its proxy on loopback. Names resolve to what the test says,
/// and of loopback only the ports that it permits may be dialled.
class test_gateway {
public:
  struct setup {
    std::vector<std::string> allow;
    /// Ports of 127.0.0.1.
    std::vector<uint16_t> permitted;
    bool allow_private = false;
    gateway_limits limits;
    /// Empty: every name is 127.0.0.1.
    resolver_function resolve;
  };

  explicit test_gateway(setup x);

  gateway& operator*() {
    return *sut_;
  }

  /// A client of its proxy.
  peer client() const {
    return peer{port_};
  }

  /// What the proxy answers to a connection that sends `bytes`.
  std::string ask(std::string_view bytes) const {
    return client().ask(bytes);
  }

  uint16_t port() const {
    return port_;
  }

  std::vector<gateway_decision> decisions() const;

  /// "socks5 a.test:1 allowed", one for each decision.
  std::vector<std::string> told() const;

  destination_counts counts(const std::string& destination) const;

  /// Ends the gateway.
  void stop() {
    sut_.reset();
  }

private:
  mutable std::mutex mutex_;
  std::vector<gateway_decision> decisions_;
  uint16_t port_ = 0;
  // The last: it tells of decisions.
  std::unique_ptr<gateway> sut_;
};

/// Resolves every name to these addresses.
resolver_function resolve_to(std::vector<std::string> addresses);

/// A whole answer of the gateway that refuses.
std::string refused(std::string_view status, std::string_view why);

/// An answer to a CONNECT that succeeded.
inline constexpr std::string_view established
  = "HTTP/1.1 200 Connection established\r\n\r\n";

} // namespace troupe::test
