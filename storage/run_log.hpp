#pragma once

#include "troupe/storage/blob_table.hpp"
#include "troupe/storage/body_table.hpp"
#include "troupe/storage/run_table.hpp"
#include "troupe/storage/session_log.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The calls of a `store` that are about runs, within one transaction, which
/// must outlive it; leases are in `run_schedule`.
class run_log {
public:
  explicit run_log(lmdb_txn& txn);

  /// Stores `entry`, or sets its `refusal` before anything is written.
  caf::error commit(store_commit& entry);

  caf::expected<std::optional<run_head>> find(const std::string& run_id);

  caf::expected<std::vector<run_head>>
  list(const run_filter& filter, size_t max,
       const std::function<bool(const run_head&)>& matches);

  caf::expected<std::vector<event_record>>
  load_events(const std::string& run_id, uint64_t after, size_t max);

  caf::expected<std::vector<run_value>> load_values(const std::string& run_id,
                                                    const std::string& prefix);

  caf::expected<std::vector<artifact_record>>
  list_artifacts(const std::string& run_id);

  caf::expected<std::optional<artifact_record>>
  load_artifact(const std::string& run_id, const std::string& name);

  caf::expected<bool> erase(const std::string& run_id);

private:
  caf::expected<commit_refusal> decide(const std::optional<stored_run>& found,
                                       const store_commit& entry);
  caf::error write(const std::optional<stored_run>& found, store_commit& entry);
  caf::error write_parts(uint64_t number, const store_commit& entry);
  caf::error put_artifact(uint64_t number, const artifact_record& artifact);
  caf::error erase_artifacts(uint64_t number);

  run_table runs_;
  body_table<event_codec> events_;
  body_table<run_value_codec> values_;
  lmdb_table<artifact_codec> artifacts_;
  blob_table blobs_;
  session_log sessions_;
};

} // namespace troupe
