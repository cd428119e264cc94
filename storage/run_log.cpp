#include "troupe/storage/run_log.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/storage/run_rules.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

// What a key has after the number of its run.
std::string name_in(const std::string& key) {
  return key.substr(sizeof(uint64_t));
}

artifact_record describe(std::string name, const stored_artifact& x) {
  return {std::move(name), x.media_type, x.at, x.content.size, {}};
}

} // namespace

run_log::run_log(lmdb_txn& txn)
  : runs_(txn),
    events_(txn),
    values_(txn),
    artifacts_(txn),
    blobs_(txn),
    sessions_(txn) {
  // nop
}

// -- commit -------------------------------------------------------------------

caf::error run_log::commit(store_commit& entry) {
  entry.refusal = commit_refusal::none;
  auto found = caf::expected<std::optional<stored_run>>{std::nullopt};
  if (!entry.run_id.empty())
    found = runs_.find(entry.run_id);
  if (!found)
    return found.error();
  auto refusal = decide(*found, entry);
  if (!refusal)
    return refusal.error();
  entry.refusal = *refusal;
  return *refusal == commit_refusal::none ? write(*found, entry) : caf::error{};
}

caf::expected<commit_refusal>
run_log::decide(const std::optional<stored_run>& found,
                const store_commit& entry) {
  if (!entry.run_id.empty()) {
    auto refusal = refusal_of(found ? &found->head : nullptr, entry);
    if (refusal != commit_refusal::none)
      return refusal;
  }
  for (const auto& session : entry.sessions) {
    if (!takes_session(session))
      continue;
    auto is_free = sessions_.is_free(session.key, entry.run_id);
    if (!is_free)
      return is_free.error();
    if (!*is_free)
      return commit_refusal::session_busy;
  }
  return commit_refusal::none;
}

caf::error run_log::write(const std::optional<stored_run>& found,
                          store_commit& entry) {
  for (auto& session : entry.sessions)
    if (auto why = sessions_.append(session, entry.run_id))
      return why;
  if (entry.run_id.empty())
    return {};
  auto run = stored_run{};
  if (found) {
    run.number = found->number;
  } else {
    auto number = runs_.take_number();
    if (!number)
      return number.error();
    run.number = *number;
  }
  run.head = head_after(found ? &found->head : nullptr, entry);
  if (auto why = runs_.put(found, run))
    return why;
  if (entry.begin || (entry.change && !entry.change->details.empty()))
    if (auto why = runs_.put_details(run))
      return why;
  return write_parts(run.number, entry);
}

caf::error run_log::write_parts(uint64_t number, const store_commit& entry) {
  for (const auto& event : entry.events)
    if (auto why = events_.add(record_key(number, event.seq).view(),
                               record_kind::message, event.at, event.body))
      return why;
  for (const auto& value : entry.values)
    if (auto why = values_.put(run_part_key(number, value.name).view(),
                               value.at, value.body, value.blobs))
      return why;
  for (const auto& artifact : entry.artifacts)
    if (auto why = put_artifact(number, artifact))
      return why;
  return {};
}

caf::error run_log::put_artifact(uint64_t number,
                                 const artifact_record& artifact) {
  auto key = run_part_key(number, artifact.name);
  auto before = artifacts_.get(key.view());
  if (!before)
    return before.error();
  auto content = blobs_.add(artifact.content);
  if (!content)
    return content.error();
  if (*before)
    if (auto why = blobs_.release((*before)->content))
      return why;
  return artifacts_.put(key.view(),
                        {artifact.at, *content, artifact.media_type});
}

// -- reading ------------------------------------------------------------------

caf::expected<std::optional<run_head>>
run_log::find(const std::string& run_id) {
  auto run = runs_.find(run_id);
  if (!run)
    return run.error();
  if (!*run)
    return std::optional<run_head>{};
  if (auto why = runs_.load_details(**run))
    return why;
  return std::optional{std::move((*run)->head)};
}

caf::expected<std::vector<run_head>>
run_log::list(const run_filter& filter, size_t max,
              const std::function<bool(const run_head&)>& matches) {
  auto result = std::vector<run_head>{};
  auto collect = [&](stored_run run) -> caf::expected<bool> {
    if (!is_wanted(run.head, filter))
      return true;
    if (auto why = runs_.load_details(run))
      return why;
    if (!matches || matches(run.head))
      result.push_back(std::move(run.head));
    return result.size() < max;
  };
  if (max == 0)
    return result;
  if (auto why = runs_.scan(filter.status, filter.before, collect))
    return why;
  return result;
}

caf::expected<std::vector<event_record>>
run_log::load_events(const std::string& run_id, uint64_t after, size_t max) {
  auto result = std::vector<event_record>{};
  auto run = runs_.find(run_id);
  if (!run)
    return run.error();
  if (!*run || after >= (*run)->head.events)
    return result;
  auto count = std::min<uint64_t>(max, (*run)->head.events - after);
  for (auto seq = after + 1; seq <= after + count; ++seq) {
    auto event = events_.load(record_key((*run)->number, seq).view());
    if (!event)
      return event.error();
    if (!*event)
      return make_error(errc::storage, "an event is missing in the store", {},
                        "restore the store from a backup");
    result.push_back({seq, (*event)->at, std::move((*event)->body)});
  }
  return result;
}

caf::expected<std::vector<run_value>>
run_log::load_values(const std::string& run_id, const std::string& prefix) {
  auto result = std::vector<run_value>{};
  auto run = runs_.find(run_id);
  if (!run)
    return run.error();
  if (!*run || prefix.size() > longest_part_name)
    return result;
  auto collect = [&result](const std::string& key,
                           loaded_body x) -> caf::error {
    result.push_back(
      {name_in(key), x.at, std::move(x.body), std::move(x.blobs)});
    return {};
  };
  auto key = run_part_key((*run)->number, prefix);
  if (auto why = values_.scan(key.view(), collect))
    return why;
  return result;
}

caf::expected<std::vector<artifact_record>>
run_log::list_artifacts(const std::string& run_id) {
  auto result = std::vector<artifact_record>{};
  auto run = runs_.find(run_id);
  if (!run)
    return run.error();
  if (!*run)
    return result;
  auto collect = [&result](const std::string& key,
                           const stored_artifact& x) -> caf::error {
    result.push_back(describe(name_in(key), x));
    return {};
  };
  if (auto why = artifacts_.scan_entries(number_key((*run)->number).view(),
                                         collect))
    return why;
  return result;
}

caf::expected<std::optional<artifact_record>>
run_log::load_artifact(const std::string& run_id, const std::string& name) {
  auto run = runs_.find(run_id);
  if (!run)
    return run.error();
  if (!*run || name.size() > longest_part_name)
    return std::optional<artifact_record>{};
  auto stored = artifacts_.get(run_part_key((*run)->number, name).view());
  if (!stored)
    return stored.error();
  if (!*stored)
    return std::optional<artifact_record>{};
  auto content = blobs_.load((*stored)->content);
  if (!content)
    return content.error();
  auto result = describe(name, **stored);
  result.content = std::move(*content);
  return std::optional{std::move(result)};
}

// -- erase --------------------------------------------------------------------

caf::expected<bool> run_log::erase(const std::string& run_id) {
  auto run = runs_.find(run_id);
  if (!run)
    return run.error();
  if (!*run || !is_over((*run)->head.status))
    return false;
  auto number = (*run)->number;
  if (auto why = events_.erase_all(number_key(number).view()))
    return why;
  if (auto why = values_.erase_all(number_key(number).view()))
    return why;
  if (auto why = erase_artifacts(number))
    return why;
  if (auto why = runs_.erase(**run))
    return why;
  return true;
}

caf::error run_log::erase_artifacts(uint64_t number) {
  auto remove = [this](const std::string& key,
                       const stored_artifact& x) -> caf::error {
    if (auto why = blobs_.release(x.content))
      return why;
    auto gone = artifacts_.erase(key);
    return gone ? caf::error{} : gone.error();
  };
  return artifacts_.scan_entries(number_key(number).view(), remove);
}

} // namespace troupe
