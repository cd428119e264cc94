#pragma once

#include "troupe/runtime/http/http_transport.hpp"

#include "caf/error.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// libcurl's list of texts: its header stays in the .cpp files.
struct curl_slist;

namespace troupe {

struct curl_settings;

/// The time by which transfers measure silence.
using curl_clock = std::chrono::steady_clock;

/// How far a transfer has come.
enum class transfer_phase : uint8_t {
  /// Looks for a connection.
  connecting,
  /// Waits for the first byte of the answer.
  waiting,
  /// Some of the answer has come.
  answering,
};

/// One transfer as `curl_loop` sees it. Everything but `consume` belongs to
/// the loop's thread.
class curl_transfer {
public:
  /// Pauses with more than `max_unconsumed` bytes given out.
  curl_transfer(http_request request, std::unique_ptr<http_handler> handler,
                size_t max_unconsumed);

  curl_transfer(const curl_transfer&) = delete;
  curl_transfer& operator=(const curl_transfer&) = delete;

  /// Takes note of consumed bytes; true when the transfer must be resumed.
  /// Any thread.
  bool consume(size_t bytes) noexcept;

  /// Gives `easy`, a new CURL handle, the options that all transfers have.
  static void prepare(void* easy, const curl_settings& settings);

  /// Makes `easy`, a prepared handle, carry the request. `now` is where the
  /// loop keeps the time, for as long as the transfer lasts. An error when the
  /// request cannot be sent.
  caf::error configure(void* easy, const curl_clock::time_point& now);

  /// Takes everything of this transfer out of its handle.
  void release();

  /// Lets a paused transfer go on; what libcurl says, 0 is well.
  int resume();

  /// Whether the server was silent, or the transfer lasts, for longer than
  /// allowed.
  bool is_overdue() const;

  /// Before this time `is_overdue` will not become true.
  curl_clock::time_point not_overdue_before() const;

  /// The error of an overdue transfer.
  caf::error overdue() const;

  /// What `code`, libcurl's verdict, means; no error for 0.
  caf::error outcome(int code) const;

  /// Tells the handler that all is over, and lets go of it.
  void finish(caf::error why);

  /// Whether the handler was told that all is over. Any thread.
  bool is_over() const noexcept {
    return over_.load();
  }

  /// The handle between `configure` and `release`, else null.
  void* easy() const noexcept {
    return easy_;
  }

  /// Where the loop keeps this transfer among the active ones.
  size_t position = 0;

private:
  // libcurl's callbacks; `self` is the transfer.
  static size_t on_header_line(char* data, size_t, size_t size, void* self);

  static size_t on_body(char* data, size_t, size_t size, void* self);

  static int on_connected(void* self, char*, char*, int, int);

  bool add_lines();

  void set_options();

  // False when the answer cannot be accepted; `refusal_` says why.
  bool take_header_line(std::string_view line);

  bool take_body(std::string_view bytes);

  // Whether the transfer pauses now: too much is unconsumed.
  bool must_pause();

  void enter(transfer_phase phase);

  bool is_silent() const;

  // How long the server may be silent in this phase.
  curl_clock::duration patience() const;

  bool refuse(std::string message);

  http_request request_;
  std::unique_ptr<http_handler> handler_;
  void* easy_ = nullptr;
  // The request's header lines as libcurl wants them.
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> lines_;
  const curl_clock::time_point* now_ = nullptr;
  curl_clock::time_point started_at_;
  // When the phase began, or the last bytes came.
  curl_clock::time_point since_;
  transfer_phase phase_ = transfer_phase::connecting;
  http_head head_;
  bool has_head_ = false;
  // libcurl was told to pause and not yet to go on.
  bool stalled_ = false;
  size_t received_ = 0;
  // Why a callback of ours ended the transfer.
  caf::error refusal_;
  std::array<char, 256> detail_{};
  int64_t max_unconsumed_;
  // Shared with whoever consumes.
  std::atomic<int64_t> unconsumed_ = 0;
  std::atomic<bool> paused_ = false;
  std::atomic<bool> over_ = false;
};

using curl_transfer_ptr = std::shared_ptr<curl_transfer>;

} // namespace troupe
