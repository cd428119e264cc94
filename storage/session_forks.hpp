#pragma once

#include "troupe/storage/body_table.hpp"
#include "troupe/storage/lmdb_table.hpp"
#include "troupe/storage/session_codec.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <vector>

namespace troupe {

/// Records `first` to `last` of a session, which lie in the log `number`.
struct log_range {
  uint64_t number = 0;
  uint64_t first = 0;
  uint64_t last = 0;
};

/// Which log has which record of a session. A fork has a log of its own for
/// what comes after the records that it shares; these stay in the log of its
/// parent, also when the parent's session is gone, until the last fork that
/// shares them is gone too. Lives within one transaction, which must outlive
/// it.
class session_forks {
public:
  explicit session_forks(lmdb_txn& txn);

  /// Where the records of `head` after `after` lie, in order.
  caf::expected<std::vector<log_range>> ranges(const session_head& head,
                                               uint64_t after);

  /// Makes `child`, which has a number, share the first `records` records of
  /// `from`.
  caf::error begin(const session_head& from, uint64_t records,
                   session_head& child);

  /// Removes the records of a session that is going, but those that forks
  /// share.
  caf::error erase(const session_head& head);

private:
  caf::expected<forked_log> log_of(uint64_t number, uint64_t last);
  caf::expected<uint64_t> most_shared(uint64_t parent);
  caf::error leave(uint64_t parent, uint64_t child);
  caf::error erase_records(uint64_t number, uint64_t first, uint64_t last);

  lmdb_table<forked_log_codec> logs_;
  lmdb_table<fork_codec> forks_;
  body_table<record_codec> records_;
};

/// The error for a record that should be there.
caf::error missing_record();

} // namespace troupe
