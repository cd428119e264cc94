#pragma once

#include "troupe/storage/run_table.hpp"
#include "troupe/storage/store.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Who works on which run: the calls of a `store` about leases and due runs,
/// within one transaction, which must outlive it.
class run_schedule {
public:
  explicit run_schedule(lmdb_txn& txn);

  caf::expected<std::optional<run_head>> acquire(const std::string& run_id,
                                                 const std::string& owner,
                                                 int64_t now, int64_t until);

  caf::expected<std::optional<run_head>>
  acquire_due(const std::optional<std::string>& queue, const std::string& owner,
              int64_t now, int64_t until);

  caf::expected<std::optional<int64_t>>
  next_due(const std::optional<std::string>& queue);

  caf::error renew(std::vector<store::lease_claim>& claims, int64_t until);

  /// The running runs whose owner is gone. Reads only.
  caf::expected<std::vector<std::string>>
  find_abandoned(int64_t now,
                 const std::function<bool(const std::string&)>& is_gone);

  /// Marks those of `run_ids` whose owner is gone still; their ids.
  caf::expected<std::vector<std::string>>
  interrupt(const std::vector<std::string>& run_ids, int64_t now,
            const std::function<bool(const std::string&)>& is_gone);

  caf::expected<std::optional<run_head>>
  request_cancel(const std::string& run_id);

  caf::expected<std::vector<std::string>>
  cancel_requests(const std::vector<std::string>& run_ids);

private:
  run_table runs_;
};

} // namespace troupe
