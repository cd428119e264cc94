#pragma once

#include "troupe/storage/blob_table.hpp"
#include "troupe/storage/lmdb_table.hpp"
#include "troupe/storage/record_codec.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// A body out of its table.
struct loaded_body {
  record_kind kind = record_kind::message;
  int64_t at = 0;
  std::string body;
  /// Without their bytes.
  std::vector<stored_blob> blobs;
};

/// A table of bodies, of which the large ones lie among the blobs. Lives within
/// one transaction, which must outlive it.
template <class Codec>
class body_table {
public:
  explicit body_table(lmdb_txn& txn) : entries_(txn), blobs_(txn) {
    // nop
  }

  /// Stores a body under `key`, which must not have one, and the bytes of
  /// `blobs`.
  caf::error add(std::string_view key, record_kind kind, int64_t at,
                 std::string_view body,
                 const std::vector<stored_blob>& blobs = {}) {
    auto stored = stored_record{kind, body_place::inlined, at, body};
    auto beside = add_blobs(blobs);
    if (!beside)
      return beside.error();
    stored.blobs = *beside;
    auto packed = std::string{};
    if (body.size() > largest_inlined) {
      auto reference = blobs_.add(body);
      if (!reference)
        return reference.error();
      packed = pack_blob_reference(*reference);
      stored.place = body_place::blob;
      stored.content = packed;
    }
    return entries_.put(key, stored);
  }

  /// Stores a body in place of any that `key` has.
  caf::error put(std::string_view key, int64_t at, std::string_view body,
                 const std::vector<stored_blob>& blobs = {}) {
    if (auto gone = erase(key); !gone)
      return gone.error();
    return add(key, record_kind::message, at, body, blobs);
  }

  /// What is stored under `key`, if anything is.
  caf::expected<std::optional<loaded_body>> load(std::string_view key) {
    auto stored = entries_.get(key);
    if (!stored)
      return stored.error();
    if (!*stored)
      return std::optional<loaded_body>{};
    auto result = resolve(**stored);
    if (!result)
      return result.error();
    return std::optional{std::move(*result)};
  }

  /// Of what kind the record under `key` is; its body is not touched.
  caf::expected<std::optional<record_kind>> find_kind(std::string_view key) {
    auto stored = entries_.get(key);
    if (!stored)
      return stored.error();
    if (!*stored)
      return std::optional<record_kind>{};
    return std::optional{(*stored)->kind};
  }

  /// Calls `visit(key, body)` as `lmdb_table::scan_entries` does.
  template <class Visit>
  caf::error scan(std::string_view prefix, Visit visit) {
    return entries_.scan_entries(prefix, [&](const std::string& key,
                                             const stored_record& x) {
      auto body = resolve(x);
      return body ? visit(key, std::move(*body)) : body.error();
    });
  }

  /// Removes what is under `key`, and each of its blobs with the last use of
  /// that; false when there was nothing.
  caf::expected<bool> erase(std::string_view key) {
    auto stored = entries_.get(key);
    if (!stored)
      return stored.error();
    if (!*stored)
      return false;
    auto used = unpack_blob_references((*stored)->blobs);
    if (!used)
      return used.error();
    if ((*stored)->place == body_place::blob) {
      auto reference = unpack_blob_reference((*stored)->content);
      if (!reference)
        return reference.error();
      used->push_back(*reference);
    }
    for (const auto& one : *used)
      if (auto why = blobs_.release(one))
        return why;
    return entries_.erase(key);
  }

  /// Removes everything whose key begins with `prefix`.
  caf::error erase_all(std::string_view prefix) {
    return entries_.scan_entries(prefix, [this](const std::string& key,
                                                const stored_record&) {
      auto gone = erase(key);
      return gone ? caf::error{} : gone.error();
    });
  }

private:
  caf::expected<std::string> add_blobs(const std::vector<stored_blob>& blobs) {
    auto result = std::string{};
    for (const auto& one : blobs) {
      auto reference = blobs_.add(*one.bytes);
      if (!reference)
        return reference.error();
      result += pack_blob_reference(*reference);
    }
    return result;
  }

  caf::expected<loaded_body> resolve(const stored_record& x) {
    auto result = loaded_body{x.kind, x.at, {}, {}};
    auto beside = unpack_blob_references(x.blobs);
    if (!beside)
      return beside.error();
    for (const auto& one : *beside)
      result.blobs.push_back(describe_blob(one));
    if (x.place == body_place::inlined) {
      result.body.assign(x.content);
      return result;
    }
    auto reference = unpack_blob_reference(x.content);
    if (!reference)
      return reference.error();
    auto body = blobs_.load(*reference);
    if (!body)
      return body.error();
    result.body = std::move(*body);
    return result;
  }

  lmdb_table<Codec> entries_;
  blob_table blobs_;
};

} // namespace troupe
