#pragma once

#include "troupe/storage/run_records.hpp"
#include "troupe/storage/session_records.hpp"

#include "caf/expected.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// A key of a table: at most the 511 bytes that LMDB takes, kept in place.
class key_bytes {
public:
  std::string_view view() const noexcept {
    return {bytes_.data(), size_};
  }

  void append(std::string_view bytes) noexcept;
  void append(char byte) noexcept;
  void append(uint64_t number) noexcept;

private:
  std::array<char, 511> bytes_;
  size_t size_ = 0;
};

/// The key of record `seq` of the session with the store's own `number`.
/// Ordered by number, then seq.
key_bytes record_key(uint64_t number, uint64_t seq);

/// The key of log `child` among the forks of log `parent`. Ordered by parent.
key_bytes fork_key(uint64_t parent, uint64_t child);

/// The longest id that a run has, in bytes.
constexpr size_t longest_run_id = 128;

/// The longest name of a value or an artifact, in bytes.
constexpr size_t longest_part_name = 400;

/// The key of a log or run by the store's own `number`.
key_bytes number_key(uint64_t number);

/// The key of what the run with `number` has under `name`. Ordered by number,
/// then name.
key_bytes run_part_key(uint64_t number, std::string_view name);

/// The key of a run among those of its status. Ordered by status, then id.
key_bytes run_status_key(run_status status, std::string_view run_id);

/// The key of a queued run among all that are queued. Ordered by the time it is
/// due, then id.
key_bytes run_due_key(int64_t due, std::string_view run_id);

/// The same among those of its queue.
caf::expected<key_bytes> run_due_key(const std::string& queue, int64_t due,
                                     std::string_view run_id);

/// What the keys of all queued runs begin with; of one queue.
key_bytes run_due_prefix();
caf::expected<key_bytes> run_due_prefix(const std::string& queue);

/// A due time with the id of its run.
struct due_run {
  int64_t due = 0;
  std::string run_id;
};

/// Reads back what follows the prefix in the key of a queued run; null where
/// that is nothing such a key holds.
std::optional<due_run> read_due_run(std::string_view rest);

/// The key of a session: session id, agent, actor id, in this order, so that
/// what shares a session id lies together. Different keys never become the
/// same bytes; any bytes may occur in them, also none. Ordered like the names
/// as long as these are short; a part of more than about 160 bytes is replaced
/// by its SHA-256, and sorts after those that are not.
caf::expected<key_bytes> session_table_key(const session_key& key);

/// What the keys of all sessions of `session_id` begin with, and no others.
caf::expected<key_bytes> session_table_prefix(const std::string& session_id);

} // namespace troupe
