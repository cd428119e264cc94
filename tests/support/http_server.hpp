#pragma once

#include "troupe/sandbox/unique_fd.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace troupe::test {

/// A request as the server received it.
struct seen_request {
  /// "POST /v1/chat/completions HTTP/1.1"
  std::string line;
  /// The header lines, each ended by CR LF.
  std::string headers;
  std::string body;
};

/// The server's side of one connection, for the script that answers on it.
class http_connection {
public:
  /// Sends bytes as they are; false when the client is gone.
  bool send(std::string_view bytes);

  /// Sends one chunk of a chunked body.
  bool send_chunk(std::string_view bytes);

  /// Waits, but not longer than the server and the client are there.
  void pause(std::chrono::milliseconds time);

  /// Stays silent until the client or the server goes.
  void hold();

  /// The connection ends with this answer.
  void close();

  /// Ends it as a crash does: what was not sent is lost.
  void reset();

private:
  friend class http_server;

  explicit http_connection(int fd) : fd_(fd) {
    // nop
  }

  int fd_;
  bool open_ = true;
};

/// Answers one request.
using http_script = std::function<void(http_connection&)>;

/// An HTTP/1.1 server on loopback that plays scripts: the first request gets
/// the first, and so on; the last is played for all that follow. Records what
/// it was sent. A thread for each connection; for tests only.
class http_server {
public:
  explicit http_server(std::vector<http_script> scripts);

  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  /// Closes every connection and joins the threads.
  ~http_server();

  uint16_t port() const noexcept {
    return port_;
  }

  /// "http://127.0.0.1:PORT" and `path`.
  std::string url(std::string_view path = "") const;

  /// What came so far, in order.
  std::vector<seen_request> requests() const;

  /// How many connections were opened, and how many are open.
  size_t connections() const;
  size_t open_connections() const;

private:
  void accept_all();

  void serve(int fd);

  // The next request of a connection; false when there is none.
  bool read_request(int fd, std::string& buffer, seen_request& out) const;

  http_script next_script(const seen_request& request);

  unique_fd listener_;
  uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::deque<http_script> scripts_;
  std::vector<seen_request> requests_;
  std::list<unique_fd> sockets_;
  std::atomic<size_t> open_ = 0;
  // One for each connection; the acceptor adds them.
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// A whole answer. `headers` are lines ended by CR LF.
http_script reply(int status, std::string body, std::string headers = "");

/// An event stream that sends each text as a chunk of its own.
http_script reply_in_chunks(std::vector<std::string> chunks,
                            std::chrono::milliseconds between = {});

/// Sends bytes as they are, then closes the connection.
http_script reply_and_close(std::string bytes);

/// Sends bytes as they are, then stays silent.
http_script reply_and_hold(std::string bytes);

/// The head of a chunked event stream.
std::string stream_head();

/// `bytes` as one chunk of a chunked body.
std::string chunk_of(std::string_view bytes);

} // namespace troupe::test
