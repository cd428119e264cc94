#pragma once

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/storage/lmdb_env.hpp"
#include "troupe/storage/storage_schema.hpp"
#include "troupe/storage/store.hpp"

#include <memory>
#include <string>
#include <utility>

namespace troupe::test {

/// Settings for a store in `dir`; relaxed, where durability is not the point.
inline storage_settings store_in(const temp_dir& dir,
                                 uint64_t map_size = 1ull << 30) {
  auto result = storage_settings{};
  result.path = (dir.path() / "store").string();
  result.map_size = map_size;
  result.durability = durability::relaxed;
  return result;
}

inline std::unique_ptr<store> open_store(const storage_settings& settings) {
  auto result = make_lmdb_store(settings);
  if (!result)
    FAIL(render(to_fault(result.error())));
  return std::move(*result);
}

/// Why the store does not open.
inline fault refusal(const storage_settings& settings) {
  auto result = make_lmdb_store(settings);
  REQUIRE_FALSE(result);
  auto what = to_fault(result.error());
  CHECK_FALSE(what.hint.empty());
  CHECK_FALSE(what.where.empty());
  return what;
}

/// An environment with the tables of `plan`, and a small map.
inline caf::expected<std::unique_ptr<lmdb_env>>
try_env(const storage_settings& settings, schema_plan plan = current_schema()) {
  auto options = lmdb_env_options{};
  options.storage = settings;
  options.first_map = 256 << 10;
  options.on_open = [plan = std::move(plan)](lmdb_txn& txn) {
    return open_schema(txn, plan);
  };
  return lmdb_env::open(std::move(options));
}

inline std::unique_ptr<lmdb_env> open_env(const storage_settings& settings,
                                          schema_plan plan = current_schema()) {
  auto result = try_env(settings, std::move(plan));
  if (!result)
    FAIL(render(to_fault(result.error())));
  return std::move(*result);
}

} // namespace troupe::test
