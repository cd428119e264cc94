#include "troupe/storage/storage_schema.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/storage/big_endian.hpp"
#include "troupe/storage/schema_steps.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace troupe {

namespace {

// On disk: never change either. The entry of `meta` that tells a store of
// ours, whatever its version: this word and the version in four bytes.
constexpr auto schema_key = std::string_view{"schema"};
constexpr auto product = std::string_view{"troupe"};

caf::error foreign() {
  return make_error(errc::storage, "the file belongs to another program", {},
                    "choose another folder with --store DIR");
}

caf::error create_tables(lmdb_txn& txn) {
  for (size_t i = 0; i < table_count; ++i)
    if (auto why = txn.create_table(static_cast<table_id>(i)))
      return why;
  return {};
}

caf::error refuse_newer(uint32_t found, uint32_t known) {
  return make_error(errc::storage,
                    "the store has schema " + std::to_string(found)
                      + ", this troupe knows up to " + std::to_string(known),
                    {},
                    "use the newer troupe that wrote it, or another folder "
                    "with --store DIR");
}

caf::error migrate(lmdb_txn& txn, uint32_t found, const schema_plan& plan) {
  for (auto version = found; version < plan.version; ++version) {
    auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                             [version](const schema_step& x) {
                               return x.from == version;
                             });
    if (step == plan.steps.end())
      return make_error(errc::storage,
                        "the store has schema " + std::to_string(found)
                          + ", which this troupe cannot bring to "
                          + std::to_string(plan.version),
                        {}, "open it once with a release in between");
    if (auto why = step->apply(txn))
      return why;
  }
  return write_schema_version(txn, plan.version);
}

} // namespace

schema_plan current_schema() {
  return {2, {{1, upgrade_from_schema_1}}};
}

caf::error open_schema(lmdb_txn& txn, const schema_plan& plan) {
  auto tables = txn.count_tables();
  if (!tables)
    return tables.error();
  if (*tables == 0) {
    if (auto why = create_tables(txn))
      return why;
    return write_schema_version(txn, plan.version);
  }
  auto ours = txn.open_table(table_id::meta);
  if (!ours)
    return ours.error();
  if (!*ours)
    return foreign();
  auto found = read_schema_version(txn);
  if (!found)
    return found.error();
  if (*found > plan.version)
    return refuse_newer(*found, plan.version);
  if (auto why = create_tables(txn))
    return why;
  return *found == plan.version ? caf::error{} : migrate(txn, *found, plan);
}

caf::expected<uint32_t> read_schema_version(lmdb_txn& txn) {
  auto bytes = txn.get(table_id::meta, schema_key);
  if (!bytes)
    return bytes.error();
  auto value = bytes->value_or(std::string_view{});
  if (value.size() != product.size() + sizeof(uint32_t)
      || value.substr(0, product.size()) != product)
    return foreign();
  return get_big_endian<uint32_t>(value.data() + product.size());
}

caf::error write_schema_version(lmdb_txn& txn, uint32_t version) {
  auto out = txn.reserve(table_id::meta, schema_key,
                         product.size() + sizeof(uint32_t));
  if (!out)
    return out.error();
  put_big_endian(std::copy(product.begin(), product.end(), *out), version);
  return {};
}

} // namespace troupe
