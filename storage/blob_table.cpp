#include "troupe/storage/blob_table.hpp"

#include "troupe/config/errc.hpp"

#include <utility>

namespace troupe {

namespace {

caf::error damaged() {
  return make_error(errc::storage, "a large record in the store is damaged", {},
                    "restore the store from a backup");
}

} // namespace

blob_table::blob_table(lmdb_txn& txn) : bodies_(txn), uses_(txn) {
  // nop
}

caf::expected<blob_reference> blob_table::add(std::string_view body) {
  auto digest = sha256(body);
  if (!digest)
    return digest.error();
  auto key = as_bytes(*digest);
  auto uses = uses_.get(key);
  if (!uses)
    return uses.error();
  if (!*uses)
    if (auto why = bodies_.put(key, body))
      return why;
  if (auto why = uses_.put(key, uses->value_or(0) + 1))
    return why;
  return blob_reference{*digest, body.size()};
}

caf::expected<std::string> blob_table::load(const blob_reference& reference) {
  auto body = bodies_.get(as_bytes(reference.digest));
  if (!body)
    return body.error();
  // The size first: a damaged one must not lead beyond the file.
  if (!*body || (*body)->size() != reference.size)
    return damaged();
  auto digest = sha256(**body);
  if (!digest)
    return digest.error();
  if (*digest != reference.digest)
    return damaged();
  return std::string{**body};
}

caf::expected<std::shared_ptr<const std::string>>
blob_table::find(const blob_reference& reference) {
  auto uses = uses_.get(as_bytes(reference.digest));
  if (!uses)
    return uses.error();
  if (!*uses)
    return std::shared_ptr<const std::string>{};
  auto body = load(reference);
  if (!body)
    return body.error();
  return std::make_shared<const std::string>(std::move(*body));
}

caf::error blob_table::release(const blob_reference& reference) {
  auto key = as_bytes(reference.digest);
  auto uses = uses_.get(key);
  if (!uses)
    return uses.error();
  if (!*uses || **uses == 0)
    return damaged();
  if (**uses > 1)
    return uses_.put(key, **uses - 1);
  if (auto gone = uses_.erase(key); !gone)
    return gone.error();
  auto gone = bodies_.erase(key);
  return gone ? caf::error{} : gone.error();
}

} // namespace troupe
