#pragma once

#include "troupe/storage/lmdb_txn.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace troupe {

/// What turns a store of one version into the next.
struct schema_step {
  /// The version it starts from; it ends at the one after.
  uint32_t from = 0;
  std::function<caf::error(lmdb_txn&)> apply;
};

/// The version of the tables that a program works with, and the ways to it.
struct schema_plan {
  uint32_t version = 0;
  std::vector<schema_step> steps;
};

/// What this program works with.
schema_plan current_schema();

/// Opens the tables within the write transaction `txn`: creates them where the
/// file is new, takes the steps from an older version one after another, and
/// refuses a newer version, or a file that some other program made, naming
/// what it is and what to do.
caf::error open_schema(lmdb_txn& txn, const schema_plan& plan);

/// The version that the store has; the table `meta` must be open.
caf::expected<uint32_t> read_schema_version(lmdb_txn& txn);

/// Makes `version` the store's.
caf::error write_schema_version(lmdb_txn& txn, uint32_t version);

} // namespace troupe
