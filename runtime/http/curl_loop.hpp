#pragma once

#include "troupe/runtime/http/curl_inbox.hpp"
#include "troupe/runtime/http/curl_transport.hpp"

#include "caf/expected.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <sys/epoll.h>

namespace troupe {

/// The one thread's work: serves all transfers with a libcurl multi handle
/// over epoll, and takes orders from an inbox. Used by one thread.
class curl_loop {
public:
  static caf::expected<std::unique_ptr<curl_loop>> make(curl_settings settings,
                                                        curl_inbox_ptr inbox);

  curl_loop(const curl_loop&) = delete;
  curl_loop& operator=(const curl_loop&) = delete;

  ~curl_loop();

  /// Works until the inbox is closed; then every transfer is aborted.
  void run();

private:
  curl_loop(curl_settings settings, curl_inbox_ptr inbox);

  // libcurl's multi handle and an epoll set; false when one is missing.
  bool open();

  static int on_socket(void* easy, int socket, int what, void* self,
                       void* known);

  static int on_timer(void* multi, long timeout, void* self);

  void obey(const curl_order& order);

  void start(const curl_transfer_ptr& transfer);

  void resume(const curl_transfer_ptr& transfer);

  void finish(const curl_transfer_ptr& transfer, caf::error why);

  // Waits for sockets and lets libcurl serve them.
  void wait_and_serve();

  // How long nothing needs to be done, in milliseconds, -1 for ever.
  int idle_time() const;

  void finish_done();

  // Ends the transfers whose time is over.
  void end_overdue();

  void look_again_at(curl_clock::time_point time);

  // A prepared handle, new or used before.
  void* take_easy();

  void give_back(void* easy);

  curl_settings settings_;
  curl_inbox_ptr inbox_;
  void* multi_ = nullptr;
  unique_fd epoll_;
  curl_clock::time_point now_ = curl_clock::now();
  // When libcurl wants to be called without an event.
  std::optional<curl_clock::time_point> curl_due_;
  // Before this time no active transfer can be overdue. Moves forward only
  // when it is reached: activity need not touch it.
  std::optional<curl_clock::time_point> look_at_;
  std::vector<curl_transfer_ptr> active_;
  std::vector<void*> spare_;
  std::array<epoll_event, 256> events_;
};

} // namespace troupe
