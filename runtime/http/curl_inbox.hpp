#pragma once

#include "troupe/runtime/http/curl_transfer.hpp"
#include "troupe/sandbox/unique_fd.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace troupe {

/// Something the loop is asked to do with a transfer.
struct curl_order {
  enum kind_type : uint8_t { start, abort, resume };

  kind_type kind;
  curl_transfer_ptr transfer;
};

/// Where any thread leaves orders for the loop. The loop is woken once for all
/// that come while it sleeps, and not at all while it works.
class curl_inbox {
public:
  static caf::expected<std::shared_ptr<curl_inbox>> make();

  explicit curl_inbox(unique_fd wake);

  /// Leaves an order. False when the loop takes none any more. Any thread.
  bool post(curl_order order);

  /// From now on no order is accepted; the loop wakes to end.
  void close();

  /// Moves the orders to `out`, which must be empty; false once closed and
  /// none were left. The loop only.
  bool take(std::vector<curl_order>& out);

  /// Announces that the loop is about to sleep; false when it must not.
  bool prepare_sleep();

  /// Says that the loop works again and will `take` without being woken.
  void end_sleep();

  /// Becomes readable, once for each wake, when the loop shall wake.
  int wake_fd() const noexcept {
    return wake_.get();
  }

private:
  // Wakes a sleeping loop. Called with the lock held.
  void wake();

  unique_fd wake_;
  std::mutex mutex_;
  std::vector<curl_order> orders_;
  bool asleep_ = false;
  bool closed_ = false;
};

using curl_inbox_ptr = std::shared_ptr<curl_inbox>;

} // namespace troupe
