#pragma once

#include "troupe/storage/body_table.hpp"
#include "troupe/storage/key_codec.hpp"
#include "troupe/storage/lmdb_table.hpp"
#include "troupe/storage/run_codec.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The heads of runs and the tables that find them by status and by when they
/// are due, so that nobody reads the many that are over to find the few that
/// are not. Lives within one transaction, which must outlive it.
class run_table {
public:
  explicit run_table(lmdb_txn& txn);

  /// The run without its details, if there is one.
  caf::expected<std::optional<stored_run>> find(const std::string& run_id);

  /// As `find`, for a run that some other table names.
  caf::expected<stored_run> get(const std::string& run_id);

  /// Reads the details of `run` into its head.
  caf::error load_details(stored_run& run);

  /// A number that no run ever had.
  caf::expected<uint64_t> take_number();

  /// Stores `run` without its details, and moves it in the other tables from
  /// where `before`, what it was until now, stands.
  caf::error put(const std::optional<stored_run>& before,
                 const stored_run& run);

  caf::error put_details(const stored_run& run);

  /// Removes a run with its details from all tables.
  caf::error erase(const stored_run& run);

  /// Ids of the runs that have `status`, or of all, which sort before `before`
  /// where that is not empty: calls `visit(run)` with each, last id first,
  /// until it gives false.
  caf::error scan(std::optional<run_status> status, const std::string& before,
                  const std::function<caf::expected<bool>(stored_run)>& visit);

  /// The queued run that has been due longest, of one queue where given.
  caf::expected<std::optional<due_run>>
  first_due(const std::optional<std::string>& queue);

private:
  caf::error mark(const stored_run& run);
  caf::error unmark(const stored_run& run);
  caf::expected<std::optional<std::string>>
  last_id(std::optional<run_status> status, const std::string& before);

  lmdb_txn* txn_;
  lmdb_table<run_codec> heads_;
  lmdb_table<run_status_codec> statuses_;
  lmdb_table<run_due_codec> due_;
  lmdb_table<counter_codec> counters_;
  body_table<run_details_codec> details_;
};

} // namespace troupe
