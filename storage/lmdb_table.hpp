#pragma once

#include "troupe/storage/lmdb_txn.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

/// A table seen through its codec (see record_codec.hpp). Lives within one
/// transaction, which must outlive it.
template <class Codec>
class lmdb_table {
public:
  using value_type = typename Codec::value_type;

  explicit lmdb_table(lmdb_txn& txn) : txn_(&txn) {
    // nop
  }

  /// The value of `key`, if it has one.
  caf::expected<std::optional<value_type>> get(std::string_view key) {
    auto bytes = txn_->get(Codec::table, key);
    if (!bytes)
      return bytes.error();
    if (!*bytes)
      return std::optional<value_type>{};
    auto value = Codec::read(**bytes);
    if (!value)
      return value.error();
    return std::optional<value_type>{std::move(*value)};
  }

  /// Stores `value` in place of any that `key` has.
  caf::error put(std::string_view key, const value_type& value) {
    auto out = txn_->reserve(Codec::table, key, Codec::size(value));
    if (!out)
      return out.error();
    Codec::write(value, *out);
    return {};
  }

  /// Removes an entry; false when there was none.
  caf::expected<bool> erase(std::string_view key) {
    return txn_->erase(Codec::table, key);
  }

  /// Calls `visit(value)` for each entry whose key begins with `prefix`, in
  /// the order of the keys, until it returns an error. `visit` may change the
  /// table: each step looks its place up again.
  template <class Visit>
  caf::error scan(std::string_view prefix, Visit visit) {
    return scan_entries(prefix, [&visit](const std::string&, value_type value) {
      return visit(std::move(value));
    });
  }

  /// As `scan`, with `visit(key, value)`.
  template <class Visit>
  caf::error scan_entries(std::string_view prefix, Visit visit) {
    auto from = std::string{prefix};
    for (;;) {
      auto found = txn_->find_from(Codec::table, from);
      if (!found)
        return found.error();
      if (!*found || (*found)->key.substr(0, prefix.size()) != prefix)
        return {};
      from.assign((*found)->key);
      auto value = Codec::read((*found)->value);
      if (!value)
        return value.error();
      if (auto why = visit(std::as_const(from), std::move(*value)))
        return why;
      // The next key in order, longer by a zero.
      from.push_back('\0');
    }
  }

private:
  lmdb_txn* txn_;
};

} // namespace troupe
