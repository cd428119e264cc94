#include "troupe/storage/schema_steps.hpp"

#include "troupe/storage/key_codec.hpp"
#include "troupe/storage/lmdb_table.hpp"
#include "troupe/storage/record_codec.hpp"
#include "troupe/storage/session_codec.hpp"
#include "troupe/storage/session_forks.hpp"

#include <string>

namespace troupe {

namespace {

// Most sessions end with a state, so from the end.
caf::error find_last_state(lmdb_txn& txn, session_head& head) {
  auto records = lmdb_table<record_codec>{txn};
  for (auto seq = head.records; seq > 0; --seq) {
    auto record = records.get(record_key(head.number, seq).view());
    if (!record)
      return record.error();
    if (!*record)
      return missing_record();
    if ((*record)->kind != record_kind::state)
      continue;
    head.last_state = seq;
    return {};
  }
  return {};
}

} // namespace

caf::error upgrade_from_schema_1(lmdb_txn& txn) {
  auto heads = lmdb_table<session_head_codec>{txn};
  for (auto key = std::string{};;) {
    auto found = txn.find_from(table_id::sessions, key);
    if (!found)
      return found.error();
    if (!*found)
      return {};
    key.assign((*found)->key);
    auto head = read_session_head_v1((*found)->value);
    if (!head)
      return head.error();
    if (auto why = find_last_state(txn, *head))
      return why;
    if (auto why = heads.put(key, *head))
      return why;
    key.push_back('\0');
  }
}

} // namespace troupe
