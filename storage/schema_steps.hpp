#pragma once

#include "troupe/storage/lmdb_txn.hpp"

#include "caf/error.hpp"

namespace troupe {

// The ways from one version of the tables to the next. A store may be as old as
// the first release, so none of them ever changes or goes.

/// Schema 1 knew conversations only. Heads learn of the last state.
caf::error upgrade_from_schema_1(lmdb_txn& txn);

} // namespace troupe
