#include "troupe/storage/store.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/storage/key_codec.hpp"
#include "troupe/storage/run_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace troupe {

namespace {

constexpr size_t longest_name = size_t{64} << 10;
constexpr size_t longest_kind = 64;
constexpr size_t longest_media_type = 400;
constexpr size_t largest_body = size_t{1} << 30;

caf::error wrong(std::string message, std::string hint = {}) {
  return make_error(errc::storage, std::move(message), {}, std::move(hint));
}

caf::error check_body(const std::string& body) {
  if (body.size() > largest_body)
    return wrong("a record is larger than 1GiB");
  return {};
}

caf::error check_blobs(const std::vector<stored_blob>& blobs) {
  if (blobs.size() > most_blobs)
    return wrong("a record has more than " + std::to_string(most_blobs)
                 + " blobs");
  for (const auto& one : blobs) {
    if (!one.bytes)
      return wrong("a blob has no bytes");
    if (auto why = check_body(*one.bytes))
      return why;
  }
  return {};
}

caf::error check_session(const session_append& session) {
  if (auto why = check_key(session.key))
    return why;
  for (const auto& record : session.records) {
    if (!is_known(record.kind))
      return wrong("a record is of no known kind");
    if (auto why = check_body(record.body))
      return why;
    if (auto why = check_blobs(record.blobs))
      return why;
  }
  return {};
}

caf::error check_head(const run_head& head) {
  if (head.kind.size() > longest_kind)
    return wrong("the kind of a run is over 64 bytes");
  if (std::max({head.name.size(), head.queue.size(), head.lease.owner.size()})
      > longest_name)
    return wrong("a run's name, queue or owner is over 64KiB");
  if (!is_known(head.status))
    return wrong("a run is of no known status");
  if (auto why = check_body(head.details))
    return why;
  return check_key(head.session);
}

// What a run has under a name.
template <class Part>
caf::error
check_parts(const std::vector<Part>& parts, std::string Part::* content) {
  for (const auto& part : parts) {
    if (part.name.size() > longest_part_name)
      return wrong("the name of a value or artifact is over 400 bytes",
                   "use a shorter name");
    if (auto why = check_body(part.*content))
      return why;
  }
  return {};
}

caf::error check_run(const store_commit& x) {
  if (x.begin) {
    auto status = x.change ? x.change->status : x.begin->status;
    if (status == run_status::running && x.begin->lease.owner.empty())
      return wrong("the owner of a run has no name");
    if (auto why = check_head(*x.begin))
      return why;
  }
  if (x.change) {
    if (!is_known(x.change->status))
      return wrong("a run is of no known status");
    if (auto why = check_body(x.change->details))
      return why;
  }
  for (const auto& event : x.events)
    if (auto why = check_body(event.body))
      return why;
  for (const auto& artifact : x.artifacts)
    if (artifact.media_type.size() > longest_media_type)
      return wrong("a media type is over 400 bytes");
  for (const auto& value : x.values)
    if (auto why = check_blobs(value.blobs))
      return why;
  if (auto why = check_parts(x.values, &run_value::body))
    return why;
  return check_parts(x.artifacts, &artifact_record::content);
}

bool has_run_parts(const store_commit& x) {
  return x.begin || x.change || !x.events.empty() || !x.values.empty()
         || !x.artifacts.empty();
}

caf::error check_entry(const store_commit& x) {
  if (x.run_id.size() > longest_run_id)
    return wrong("the id of a run is over 128 bytes");
  if (x.run_id.empty() && has_run_parts(x))
    return wrong("a run has no id");
  if (x.begin && !x.begin->run_id.empty() && x.begin->run_id != x.run_id)
    return wrong("a run begins under another id than its own");
  for (const auto& session : x.sessions)
    if (auto why = check_session(session))
      return why;
  return check_run(x);
}

} // namespace

caf::error check_key(const session_key& key) {
  auto longest
    = std::max({key.agent.size(), key.session_id.size(), key.actor_id.size()});
  if (longest > longest_name)
    return wrong("a session's name is over 64KiB",
                 "use shorter agent, session and actor ids");
  return {};
}

caf::error check_owner(const std::string& owner) {
  if (owner.empty())
    return wrong("the owner of a run has no name");
  if (owner.size() > longest_name)
    return wrong("the name of a run's owner is over 64KiB");
  return {};
}

caf::error check_commit(const std::vector<store_commit>& batch) {
  for (const auto& entry : batch)
    if (auto why = check_entry(entry))
      return why;
  return {};
}

store::~store() {
  // nop
}

caf::expected<std::unique_ptr<store>>
make_store(const storage_settings& settings) {
  if (settings.in_memory)
    return make_memory_store();
  return make_lmdb_store(settings);
}

} // namespace troupe
