#include "troupe/storage/session_log.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/storage/key_codec.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

// On disk: the entry of `meta` with the number of the session begun last.
constexpr auto last_session_key = std::string_view{"last_session"};

caf::error gap() {
  return make_error(errc::storage, "a record is missing in the store", {},
                    "restore the store from a backup");
}

} // namespace

session_log::session_log(lmdb_txn& txn)
  : heads_(txn),
    records_(txn),
    counters_(txn),
    blobs_(txn) {
  // nop
}

// -- append -------------------------------------------------------------------

caf::error session_log::append(session_append& entry) {
  if (entry.records.empty())
    return {};
  auto key = session_table_key(entry.key);
  if (!key)
    return key.error();
  auto found = heads_.get(key->view());
  if (!found)
    return found.error();
  auto head = *found ? caf::expected<session_head>{std::move(**found)}
                     : begin_session(entry);
  if (!head)
    return head.error();
  for (auto& record : entry.records)
    if (auto why = append_record(*head, record))
      return why;
  return heads_.put(key->view(), *head);
}

caf::expected<session_head>
session_log::begin_session(const session_append& entry) {
  auto last = counters_.get(last_session_key);
  if (!last)
    return last.error();
  auto result = session_head{};
  result.number = last->value_or(0) + 1;
  result.created_at = entry.records.front().at;
  result.names = pack_names(entry.key);
  if (auto why = counters_.put(last_session_key, result.number))
    return why;
  return result;
}

caf::error session_log::append_record(session_head& head,
                                      session_record& record) {
  record.seq = head.records + 1;
  auto stored = stored_record{record.kind, body_place::inlined, record.at,
                              record.body};
  auto packed = std::string{};
  if (record.body.size() > largest_inlined) {
    auto reference = blobs_.add(record.body);
    if (!reference)
      return reference.error();
    packed = pack_blob_reference(*reference);
    stored.place = body_place::blob;
    stored.content = packed;
  }
  if (auto why = records_.put(record_key(head.number, record.seq).view(),
                              stored))
    return why;
  head.records = record.seq;
  head.messages += record.kind == record_kind::message ? 1 : 0;
  head.updated_at = record.at;
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
  auto last = after + std::min<uint64_t>(max, (*head)->records - after);
  for (auto seq = after + 1; seq <= last; ++seq) {
    auto record = load_record((*head)->number, seq);
    if (!record)
      return record.error();
    result.push_back(std::move(*record));
  }
  return result;
}

caf::expected<stored_record> session_log::find_record(uint64_t number,
                                                      uint64_t seq) {
  auto found = records_.get(record_key(number, seq).view());
  if (!found)
    return found.error();
  if (!*found)
    return gap();
  return **found;
}

caf::expected<session_record> session_log::load_record(uint64_t number,
                                                       uint64_t seq) {
  auto stored = find_record(number, seq);
  if (!stored)
    return stored.error();
  auto result = session_record{};
  result.seq = seq;
  result.kind = stored->kind;
  result.at = stored->at;
  if (stored->place == body_place::inlined) {
    result.body.assign(stored->content);
    return result;
  }
  auto reference = unpack_blob_reference(stored->content);
  if (!reference)
    return reference.error();
  auto body = blobs_.load(*reference);
  if (!body)
    return body.error();
  result.body = std::move(*body);
  return result;
}

// -- list and erase -----------------------------------------------------------

caf::expected<std::vector<session_summary>>
session_log::list(const std::string& session_id) {
  auto prefix = caf::expected<key_bytes>{key_bytes{}};
  if (!session_id.empty())
    prefix = session_table_prefix(session_id);
  if (!prefix)
    return prefix.error();
  auto result = std::vector<session_summary>{};
  auto collect = [&result](session_head head) -> caf::error {
    auto key = unpack_names(head.names);
    if (!key)
      return key.error();
    result.push_back(
      {std::move(*key), head.messages, head.created_at, head.updated_at});
    return {};
  };
  if (auto why = heads_.scan(prefix->view(), collect))
    return why;
  std::stable_sort(result.begin(), result.end(),
                   [](const session_summary& x, const session_summary& y) {
                     return x.updated_at > y.updated_at;
                   });
  return result;
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
  for (auto seq = uint64_t{1}; seq <= (*head)->records; ++seq)
    if (auto why = erase_record((*head)->number, seq))
      return why;
  if (auto gone = heads_.erase(name->view()); !gone)
    return gone.error();
  return uint64_t{1};
}

caf::error session_log::erase_record(uint64_t number, uint64_t seq) {
  auto stored = find_record(number, seq);
  if (!stored)
    return stored.error();
  if (stored->place == body_place::blob) {
    auto reference = unpack_blob_reference(stored->content);
    if (!reference)
      return reference.error();
    if (auto why = blobs_.release(*reference))
      return why;
  }
  auto gone = records_.erase(record_key(number, seq).view());
  return gone ? caf::error{} : gone.error();
}

} // namespace troupe
