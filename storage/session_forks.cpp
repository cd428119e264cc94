#include "troupe/storage/session_forks.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/storage/codec_bytes.hpp"
#include "troupe/storage/key_codec.hpp"

#include <algorithm>

namespace troupe {

caf::error missing_record() {
  return make_error(errc::storage, "a record is missing in the store", {},
                    "restore the store from a backup");
}

session_forks::session_forks(lmdb_txn& txn)
  : logs_(txn),
    forks_(txn),
    records_(txn) {
  // nop
}

caf::expected<std::vector<log_range>>
session_forks::ranges(const session_head& head, uint64_t after) {
  auto result = std::vector<log_range>{};
  auto number = head.number;
  auto last = head.records;
  auto log = forked_log{head.parent, head.shared, 0};
  while (last > after) {
    if (last > log.shared)
      result.push_back({number, std::max(log.shared, after) + 1, last});
    if (log.parent == 0)
      break;
    number = log.parent;
    last = log.shared;
    auto next = log_of(number, last);
    if (!next)
      return next.error();
    log = *next;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

caf::error session_forks::begin(const session_head& from, uint64_t records,
                                session_head& child) {
  child.records = records;
  child.parent = records == 0 ? 0 : from.number;
  child.shared = records;
  // The log that has record `records` itself: what was shared and is shared
  // again does not make the way to it longer.
  auto log = forked_log{from.parent, from.shared, 0};
  while (child.parent != 0 && records <= log.shared) {
    child.parent = log.parent;
    auto next = log_of(child.parent, log.shared);
    if (!next)
      return next.error();
    log = *next;
  }
  if (child.parent == 0)
    return {};
  if (auto why = logs_.put(number_key(child.number).view(),
                           {child.parent, child.shared, 0}))
    return why;
  return forks_.put(fork_key(child.parent, child.number).view(), child.shared);
}

caf::error session_forks::erase(const session_head& head) {
  auto shared = most_shared(head.number);
  if (!shared)
    return shared.error();
  auto first = std::max(head.shared, *shared) + 1;
  if (auto why = erase_records(head.number, first, head.records))
    return why;
  auto key = number_key(head.number);
  if (*shared != 0)
    return logs_.put(key.view(), {head.parent, head.shared, *shared});
  if (head.parent == 0)
    return {};
  if (auto gone = logs_.erase(key.view()); !gone)
    return gone.error();
  return leave(head.parent, head.number);
}

// A fork is gone: so is what its parent kept for it alone, and so on upward.
caf::error session_forks::leave(uint64_t parent, uint64_t child) {
  for (;;) {
    if (auto gone = forks_.erase(fork_key(parent, child).view()); !gone)
      return gone.error();
    auto key = number_key(parent);
    auto log = logs_.get(key.view());
    if (!log)
      return log.error();
    if (!*log || (*log)->kept == 0) // its session is there
      return {};
    auto shared = most_shared(parent);
    if (!shared)
      return shared.error();
    auto first = std::max((*log)->shared, *shared) + 1;
    if (auto why = erase_records(parent, first, (*log)->kept))
      return why;
    if (*shared != 0)
      return logs_.put(key.view(), {(*log)->parent, (*log)->shared, *shared});
    if (auto gone = logs_.erase(key.view()); !gone)
      return gone.error();
    if ((*log)->parent == 0)
      return {};
    if ((*log)->parent >= parent)
      return damaged("a forked log");
    child = parent;
    parent = (*log)->parent;
  }
}

// How the log `number` goes on downward, of which records up to `last` are
// shared. Numbers and counts get smaller, or a damaged store would send us in
// circles.
caf::expected<forked_log> session_forks::log_of(uint64_t number,
                                                uint64_t last) {
  auto found = logs_.get(number_key(number).view());
  if (!found)
    return found.error();
  auto result = found->value_or(forked_log{});
  if (result.parent >= number || result.shared > last)
    return damaged("a forked log");
  return result;
}

caf::expected<uint64_t> session_forks::most_shared(uint64_t parent) {
  auto result = uint64_t{0};
  auto collect = [&result](uint64_t shared) -> caf::error {
    result = std::max(result, shared);
    return {};
  };
  if (auto why = forks_.scan(number_key(parent).view(), collect))
    return why;
  return result;
}

caf::error session_forks::erase_records(uint64_t number, uint64_t first,
                                        uint64_t last) {
  for (auto seq = first; seq <= last; ++seq) {
    auto gone = records_.erase(record_key(number, seq).view());
    if (!gone)
      return gone.error();
    if (!*gone)
      return missing_record();
  }
  return {};
}

} // namespace troupe
