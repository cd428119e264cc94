#pragma once

#include "troupe/config/settings.hpp"
#include "troupe/storage/lmdb_txn.hpp"
#include "troupe/storage/store_file.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <functional>
#include <memory>

struct MDB_env;

namespace troupe {

/// What runs within a transaction. It may run several times, each in a fresh
/// transaction after the last was undone, so it must start anew each time.
using lmdb_work = std::function<caf::error(lmdb_txn&)>;

/// How to open an environment.
struct lmdb_env_options {
  /// Path, limit of growth and durability; `in_memory` is ignored.
  storage_settings storage;
  /// Opens and checks the tables. Runs in a write transaction at each opening.
  lmdb_work on_open;
  /// What is mapped at first, in bytes. Changes only how soon the map grows.
  uint64_t first_map = 64ull << 20;
};

/// An open LMDB file that grows its map by itself, and opens itself again when
/// LMDB declares it unusable. One a file and process; used by one thread at a
/// time. Other processes may have the file open too. Every error is
/// `errc::storage` and names the file.
class lmdb_env {
public:
  static caf::expected<std::unique_ptr<lmdb_env>>
  open(lmdb_env_options options);

  ~lmdb_env();

  /// Runs `work` on a snapshot, which is let go before this returns.
  caf::error read(const lmdb_work& work);

  /// Runs `work` and commits what it wrote, once it fits; all or nothing.
  caf::error write(const lmdb_work& work);

  /// As `write`, but may use the last bit of the file, which `write` leaves
  /// alone: removing something takes room first.
  caf::error write_to_make_room(const lmdb_work& work);

  /// How much of the file is mapped now, in bytes.
  uint64_t mapped() const;

private:
  explicit lmdb_env(lmdb_env_options options, store_file file);

  caf::error start();
  caf::error start_locked();
  caf::error map_file(const store_header& header);
  caf::error check_tail();
  void stop();

  caf::error run(unsigned flags, uint64_t limit, const lmdb_work& work);
  caf::expected<lmdb_txn> begin(unsigned flags, uint64_t limit);
  caf::error attempt(unsigned flags, uint64_t limit, const lmdb_work& work);
  bool free_more(uint64_t limit);
  uint64_t used() const;
  caf::error remap(uint64_t bytes);
  caf::error explain(int code, std::string_view doing) const;
  caf::error full() const;
  bool clear_dead_readers();

  struct close_env {
    void operator()(MDB_env* env) const noexcept;
  };

  lmdb_env_options options_;
  store_file file_;
  std::unique_ptr<MDB_env, close_env> env_;
  table_handles tables_{};
  /// LMDB's code for why the last attempt failed, or 0.
  int failure_ = 0;
};

} // namespace troupe
