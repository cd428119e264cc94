#pragma once

#include "troupe/runtime/http/http_types.hpp"

#include "caf/error.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace troupe {

/// Hears what becomes of one transfer. All calls come from the transport's
/// thread, so they must not block; they may use the transport.
class http_handler {
public:
  virtual ~http_handler() = default;

  /// The answer begins; at most once, before any data.
  virtual void on_head(http_head head) noexcept = 0;

  /// The next bytes of the answer's body, valid during the call. They count as
  /// unconsumed until `http_transfer::consumed` takes note of them.
  virtual void on_data(std::string_view bytes) noexcept = 0;

  /// The transfer is over, for whatever reason: exactly once, and nothing
  /// follows. No error means that the answer came whole, whatever its status;
  /// `errc::cancelled` that it was aborted.
  virtual void on_done(caf::error why) noexcept = 0;
};

/// One transfer under way, for who started it. Any thread, one at a time.
class http_transfer {
public:
  /// Aborts a transfer that is not over.
  virtual ~http_transfer() = default;

  /// Ends the transfer soon: its connection is closed and its handler told.
  /// Does nothing when it is over.
  virtual void abort() noexcept = 0;

  /// Says that `bytes` of what `on_data` gave need no more memory. A transfer
  /// with too many unconsumed bytes is paused until enough are consumed.
  virtual void consumed(size_t bytes) noexcept = 0;
};

/// Sends requests and streams what is answered.
class http_transport {
public:
  /// Aborts what is under way; returns when every handler was told.
  virtual ~http_transport() = default;

  /// Sends `request`. Any thread; never blocks. The handler belongs to the
  /// transport until `on_done` has returned, and whatever goes wrong is told
  /// to it. The result may outlive the transport.
  virtual std::unique_ptr<http_transfer>
  start(http_request request, std::unique_ptr<http_handler> handler) = 0;
};

} // namespace troupe
