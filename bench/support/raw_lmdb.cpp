#include "support/raw_lmdb.hpp"

#include "troupe/storage/big_endian.hpp"

#include <lmdb.h>

#include <array>
#include <stdexcept>

namespace troupe::bench {

namespace {

void require(int code) {
  if (code != 0)
    throw std::runtime_error{mdb_strerror(code)};
}

} // namespace

raw_lmdb::raw_lmdb(const std::string& path, durability how) {
  auto* env = static_cast<MDB_env*>(nullptr);
  require(mdb_env_create(&env));
  env_.reset(env);
  require(mdb_env_set_mapsize(env, size_t{4} << 30));
  require(mdb_env_set_maxdbs(env, 1));
  auto flags = unsigned{MDB_NOSUBDIR | MDB_NOTLS};
  if (how == durability::relaxed)
    flags |= MDB_NOMETASYNC;
  require(mdb_env_open(env, path.c_str(), flags, 0600));
  auto* txn = static_cast<MDB_txn*>(nullptr);
  require(mdb_txn_begin(env, nullptr, 0, &txn));
  require(mdb_dbi_open(txn, "records", MDB_CREATE, &table_));
  require(mdb_txn_commit(txn));
}

void raw_lmdb::append(uint64_t sessions, uint64_t seq,
                      const std::string& body) {
  auto* txn = static_cast<MDB_txn*>(nullptr);
  require(mdb_txn_begin(env_.get(), nullptr, 0, &txn));
  for (uint64_t session = 0; session < sessions; ++session) {
    auto bytes = std::array<char, 16>{};
    put_big_endian(put_big_endian(bytes.data(), session), seq);
    auto key = MDB_val{bytes.size(), bytes.data()};
    auto value = MDB_val{body.size(), const_cast<char*>(body.data())};
    require(mdb_put(txn, table_, &key, &value, 0));
  }
  require(mdb_txn_commit(txn));
}

void raw_lmdb::close_env::operator()(MDB_env* env) const noexcept {
  mdb_env_close(env);
}

} // namespace troupe::bench
