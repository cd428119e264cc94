#pragma once

#include "troupe/config/settings.hpp"

#include <cstdint>
#include <memory>
#include <string>

struct MDB_env;

namespace troupe::bench {

/// What a store is measured against: LMDB with the same durability and nothing
/// around it.
class raw_lmdb {
public:
  raw_lmdb(const std::string& path, durability how);

  /// One record for each of `sessions`, in one commit.
  void append(uint64_t sessions, uint64_t seq, const std::string& body);

private:
  struct close_env {
    void operator()(MDB_env* env) const noexcept;
  };

  std::unique_ptr<MDB_env, close_env> env_;
  unsigned table_ = 0;
};

} // namespace troupe::bench
