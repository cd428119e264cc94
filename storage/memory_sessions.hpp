#pragma once

#include "troupe/storage/session_records.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe {

/// The conversations of a store in memory. Belongs to it.
class memory_sessions {
public:
  /// Whether the run of that id is there and not over.
  using is_open_fun = std::function<bool(const std::string&)>;

  /// Whether the run `run_id`, or none where that is empty, may append to
  /// `key`.
  bool is_free(const session_key& key, const std::string& run_id,
               const is_open_fun& is_open) const;

  /// Appends and numbers `entry.records`, which then belong to `run_id`.
  void append(session_append& entry, const std::string& run_id);

  std::vector<session_record> load(const session_key& key, uint64_t after,
                                   size_t max) const;

  std::optional<session_summary> find(const session_key& key,
                                      const is_open_fun& is_open) const;

  std::vector<session_summary> list(const std::string& session_id,
                                    const is_open_fun& is_open) const;

  bool fork(const session_key& from, uint64_t records, const session_key& to,
            int64_t at, const is_open_fun& is_open);

  uint64_t erase(const session_key& key);

private:
  /// Records from `shared` on; those before are in `parent`, which lives as
  /// long as anybody shares them.
  struct log {
    std::shared_ptr<log> parent;
    uint64_t shared = 0;
    std::vector<session_record> own;

    uint64_t size() const {
      return shared + own.size();
    }
  };

  struct session {
    std::shared_ptr<log> records;
    uint64_t messages = 0;
    int64_t created_at = 0;
    int64_t updated_at = 0;
    std::string run_id;
    uint64_t last_state = 0;
    uint64_t last_summary = 0;
    std::unique_ptr<session_key> parent;
    uint64_t parent_records = 0;
  };

  struct hash_key {
    size_t operator()(const session_key& x) const;
  };

  static const session_record& record_at(const log& x, uint64_t seq);
  static void count(session& to, const session_record& record);
  static session_summary summarize(const session_key& key, const session& x,
                                   const is_open_fun& is_open);
  uint64_t most_shared(const log& x) const;

  std::unordered_map<session_key, session, hash_key> sessions_;
};

} // namespace troupe
