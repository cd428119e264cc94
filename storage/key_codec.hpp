#pragma once

#include "troupe/storage/session_store.hpp"

#include "caf/expected.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace troupe {

/// A key of a table: at most the 511 bytes that LMDB takes, kept in place.
class key_bytes {
public:
  std::string_view view() const noexcept {
    return {bytes_.data(), size_};
  }

  void append(std::string_view bytes) noexcept;
  void append(uint64_t number) noexcept;

private:
  std::array<char, 511> bytes_;
  size_t size_ = 0;
};

/// The key of record `seq` of the session with the store's own `number`.
/// Ordered by number, then seq.
key_bytes record_key(uint64_t number, uint64_t seq);

/// The key of a session: session id, agent, actor id, in this order, so that
/// what shares a session id lies together. Different keys never become the
/// same bytes; any bytes may occur in them, also none. Ordered like the names
/// as long as these are short; a part of more than about 160 bytes is replaced
/// by its SHA-256, and sorts after those that are not.
caf::expected<key_bytes> session_table_key(const session_key& key);

/// What the keys of all sessions of `session_id` begin with, and no others.
caf::expected<key_bytes> session_table_prefix(const std::string& session_id);

} // namespace troupe
