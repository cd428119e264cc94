#include "troupe/storage/session_log.hpp"

#include "troupe/storage/codec_bytes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

// On disk: the entry of `meta` with the number of the session begun last.
constexpr auto last_session_key = std::string_view{"last_session"};

void count(session_head& head, record_kind kind, uint64_t seq) {
  head.messages += kind == record_kind::message ? 1 : 0;
  if (kind == record_kind::state)
    head.last_state = seq;
  if (kind == record_kind::summary)
    head.last_summary = seq;
}

} // namespace

session_log::session_log(lmdb_txn& txn)
  : heads_(txn),
    records_(txn),
    counters_(txn),
    forks_(txn),
    runs_(txn) {
  // nop
}

// -- whose it is --------------------------------------------------------------

// A run that ends need not look for its conversations: whoever meets its name
// in a head sees that it is over.
caf::expected<std::string> session_log::open_run(const session_head& head) {
  if (head.run_id.empty())
    return std::string{};
  auto run = runs_.find(head.run_id);
  if (!run)
    return run.error();
  if (!*run || is_over((*run)->head.status))
    return std::string{};
  return head.run_id;
}

caf::expected<bool> session_log::is_free(const session_key& key,
                                         const std::string& run_id) {
  auto name = session_table_key(key);
  if (!name)
    return name.error();
  auto head = heads_.get(name->view());
  if (!head)
    return head.error();
  if (!*head || (*head)->run_id == run_id)
    return true;
  auto owner = open_run(**head);
  if (!owner)
    return owner.error();
  return owner->empty();
}

// -- append -------------------------------------------------------------------

caf::error session_log::append(session_append& entry,
                               const std::string& run_id) {
  if (!takes_session(entry))
    return {};
  auto key = session_table_key(entry.key);
  if (!key)
    return key.error();
  auto found = heads_.get(key->view());
  if (!found)
    return found.error();
  if (entry.records.empty() && *found && (*found)->run_id == run_id)
    return {}; // it has it
  auto at = entry.records.empty() ? entry.claimed_at : entry.records.front().at;
  auto head = *found ? caf::expected<session_head>{std::move(**found)}
                     : begin_session(entry.key, at);
  if (!head)
    return head.error();
  if (head->records == 0 && head->shared == 0)
    head->created_at = at; // not when somebody took it and said nothing
  for (auto& record : entry.records)
    if (auto why = append_record(*head, record))
      return why;
  head->run_id = run_id;
  return heads_.put(key->view(), *head);
}

caf::expected<session_head> session_log::begin_session(const session_key& key,
                                                       int64_t at) {
  auto last = counters_.get(last_session_key);
  if (!last)
    return last.error();
  auto result = session_head{};
  result.number = last->value_or(0) + 1;
  result.created_at = at;
  result.updated_at = at;
  result.key = key;
  if (auto why = counters_.put(last_session_key, result.number))
    return why;
  return result;
}

caf::error session_log::append_record(session_head& head,
                                      session_record& record) {
  record.seq = head.records + 1;
  if (auto why = records_.add(record_key(head.number, record.seq).view(),
                              record.kind, record.at, record.body,
                              record.blobs))
    return why;
  head.records = record.seq;
  head.updated_at = record.at;
  count(head, record.kind, record.seq);
  return {};
}

// -- load ---------------------------------------------------------------------

caf::expected<std::vector<session_record>>
session_log::load(const session_key& key, uint64_t after, size_t max) {
  auto result = std::vector<session_record>{};
  auto name = session_table_key(key);
  if (!name)
    return name.error();
  auto head = heads_.get(name->view());
  if (!head)
    return head.error();
  if (!*head || after >= (*head)->records)
    return result;
  auto ranges = forks_.ranges(**head, after);
  if (!ranges)
    return ranges.error();
  for (const auto& range : *ranges)
    for (auto seq = range.first; seq <= range.last; ++seq) {
      if (result.size() == max)
        return result;
      auto record = records_.load(record_key(range.number, seq).view());
      if (!record)
        return record.error();
      if (!*record)
        return missing_record();
      auto& found = **record;
      result.push_back({seq, found.kind, found.at, std::move(found.body),
                        std::move(found.blobs)});
    }
  return result;
}

caf::expected<std::optional<session_summary>>
session_log::find(const session_key& key) {
  auto name = session_table_key(key);
  if (!name)
    return name.error();
  auto head = heads_.get(name->view());
  if (!head)
    return head.error();
  if (!*head)
    return std::optional<session_summary>{};
  auto result = summarize(**head);
  if (!result)
    return result.error();
  if (!has_begun(*result) && result->open_run.empty())
    return std::optional<session_summary>{};
  return std::optional{std::move(*result)};
}

caf::expected<session_summary>
session_log::summarize(const session_head& head) {
  auto owner = open_run(head);
  if (!owner)
    return owner.error();
  return session_summary{head.key,        head.records,      head.messages,
                         head.created_at, head.updated_at,   std::move(*owner),
                         head.last_state, head.last_summary, head.parent_key,
                         head.shared};
}

caf::expected<std::vector<session_summary>>
session_log::list(const std::string& session_id) {
  auto prefix = caf::expected<key_bytes>{key_bytes{}};
  if (!session_id.empty())
    prefix = session_table_prefix(session_id);
  if (!prefix)
    return prefix.error();
  auto result = std::vector<session_summary>{};
  auto collect = [this, &result](const session_head& head) -> caf::error {
    auto summary = summarize(head);
    if (!summary)
      return summary.error();
    if (has_begun(*summary))
      result.push_back(std::move(*summary));
    return {};
  };
  if (auto why = heads_.scan(prefix->view(), collect))
    return why;
  std::sort(result.begin(), result.end(), is_listed_before);
  return result;
}

// -- fork and erase -----------------------------------------------------------

caf::expected<bool> session_log::fork(const session_key& from, uint64_t records,
                                      const session_key& to, int64_t at) {
  auto from_name = session_table_key(from);
  if (!from_name)
    return from_name.error();
  auto to_name = session_table_key(to);
  if (!to_name)
    return to_name.error();
  auto parent = heads_.get(from_name->view());
  if (!parent)
    return parent.error();
  auto taken = find(to);
  if (!taken)
    return taken.error();
  if (!*parent || *taken || records > (*parent)->records)
    return false;
  auto head = begin_session(to, at);
  if (!head)
    return head.error();
  head->parent_key = from;
  if (auto why = forks_.begin(**parent, records, *head))
    return why;
  if (auto why = count_prefix(**parent, *head))
    return why;
  if (auto why = heads_.put(to_name->view(), *head))
    return why;
  return true;
}

// What the head of a fork says of the records that it shares. Reads on the
// shorter side of where it leaves its parent.
caf::error session_log::count_prefix(const session_head& from,
                                     session_head& to) {
  auto ranges = forks_.ranges(from, 0);
  if (!ranges)
    return ranges.error();
  auto tail = from.records - to.records;
  auto first = tail < to.records ? to.records + 1 : 1;
  auto last = tail < to.records ? from.records : to.records;
  auto counted = session_head{};
  for (auto seq = first; seq <= last; ++seq) {
    auto kind = kind_of(*ranges, seq);
    if (!kind)
      return kind.error();
    count(counted, *kind, seq);
  }
  if (counted.messages > from.messages)
    return damaged("a session");
  to.messages = tail < to.records ? from.messages - counted.messages
                                  : counted.messages;
  to.last_state = from.last_state <= to.records ? from.last_state : 0;
  to.last_summary = from.last_summary <= to.records ? from.last_summary : 0;
  auto find_state = from.last_state > to.records;
  auto find_summary = from.last_summary > to.records;
  for (auto seq = to.records; seq > 0 && (find_state || find_summary); --seq) {
    auto kind = kind_of(*ranges, seq);
    if (!kind)
      return kind.error();
    if (find_state && *kind == record_kind::state) {
      to.last_state = seq;
      find_state = false;
    } else if (find_summary && *kind == record_kind::summary) {
      to.last_summary = seq;
      find_summary = false;
    }
  }
  return {};
}

caf::expected<record_kind>
session_log::kind_of(const std::vector<log_range>& ranges, uint64_t seq) {
  auto at = std::lower_bound(ranges.begin(), ranges.end(), seq,
                             [](const log_range& x, uint64_t y) {
                               return x.last < y;
                             });
  if (at == ranges.end())
    return missing_record();
  auto kind = records_.find_kind(record_key(at->number, seq).view());
  if (!kind)
    return kind.error();
  return *kind ? caf::expected<record_kind>{**kind} : missing_record();
}

caf::expected<uint64_t> session_log::erase(const session_key& key) {
  auto name = session_table_key(key);
  if (!name)
    return name.error();
  auto head = heads_.get(name->view());
  if (!head)
    return head.error();
  if (!*head)
    return uint64_t{0};
  if (auto why = forks_.erase(**head))
    return why;
  if (auto gone = heads_.erase(name->view()); !gone)
    return gone.error();
  return uint64_t{1};
}

} // namespace troupe
