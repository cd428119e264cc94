#include "troupe/actors/store/store_queries.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/run/stored_log.hpp"
#include "troupe/runtime/run/timestamp.hpp"
#include "troupe/storage/process_identity.hpp"

#include <chrono>
#include <utility>

namespace troupe {

namespace {

/// The value, or the error as an answer.
template <class R, class T, class Wrap>
caf::result<R> answer_with(caf::expected<T> x, Wrap wrap) {
  if (!x)
    return std::move(x.error());
  return wrap(std::move(*x));
}

caf::result<run_list> answer_one(caf::expected<std::optional<run_head>> x) {
  return answer_with<run_list>(std::move(x), [](std::optional<run_head> head) {
    auto result = run_list{};
    if (head)
      result.runs.push_back(std::move(*head));
    return result;
  });
}

caf::result<run_id_list> answer_ids(caf::expected<std::vector<std::string>> x) {
  return answer_with<run_id_list>(std::move(x), [](auto ids) {
    return run_id_list{std::move(ids)};
  });
}

caf::error load_bytes(store& disk, std::vector<stored_blob>& blobs) {
  for (auto& blob : blobs) {
    auto bytes = disk.load_blob(blob);
    if (!bytes)
      return std::move(bytes.error());
    if (!*bytes)
      return make_error(errc::storage, "an attachment is missing in the store");
    blob.bytes = std::move(*bytes);
  }
  return {};
}

int64_t micros(caf::timespan x) {
  return std::chrono::duration_cast<std::chrono::microseconds>(x).count();
}

} // namespace

caf::result<stored_session> answer_query(store& disk, const load_session& x) {
  if (x.known_records > 0) {
    auto head = disk.find_session(x.key);
    if (!head)
      return std::move(head.error());
    if (*head && (*head)->records == x.known_records) {
      auto known = stored_session{};
      known.open_run = (*head)->open_run;
      known.is_known = true;
      return known;
    }
  }
  return answer_with<stored_session>(read_session(disk, x.key),
                                     [](stored_session y) { return y; });
}

caf::result<session_list> answer_query(store& disk, const list_sessions& x) {
  return answer_with<session_list>(disk.list(x.session_id), [](auto all) {
    return session_list{std::move(all)};
  });
}

caf::result<erased_sessions> answer_query(store& disk, const erase_session& x) {
  return answer_with<erased_sessions>(erase_free_session(disk, x.key),
                                      [](uint64_t count) {
                                        return erased_sessions{count};
                                      });
}

caf::result<done> answer_query(store& disk, const fork_session& x) {
  auto records = x.records;
  if (records == 0) {
    auto found = disk.find_session(x.from);
    if (!found)
      return std::move(found.error());
    records = *found ? (*found)->records : 0;
  }
  auto forked = disk.fork(x.from, records, x.to, now_micros());
  if (!forked)
    return std::move(forked.error());
  if (!*forked)
    return make_error(errc::configuration,
                      "there is no such record to fork at, or the new session "
                      "exists",
                      x.from.session_id);
  return done{};
}

caf::result<run_list> answer_query(store& disk, const find_run& x) {
  return answer_one(disk.find_run(x.run_id));
}

caf::result<run_list> answer_query(store& disk, const list_runs& x) {
  auto filter = run_filter{};
  if (x.by_status)
    filter.status = x.status;
  filter.kind = x.kind;
  filter.name = x.name;
  if (x.by_queue)
    filter.queue = x.queue;
  filter.since = x.since;
  filter.until = x.until;
  return answer_with<run_list>(disk.list_runs(filter, x.max), [](auto all) {
    return run_list{std::move(all)};
  });
}

caf::result<run_event_batch> answer_query(store& disk,
                                          const load_run_events& x) {
  return answer_with<run_event_batch>(
    read_events(disk, x.run_id, x.after, x.max),
    [](auto events) { return run_event_batch{std::move(events), false}; });
}

caf::result<run_value_list> answer_query(store& disk,
                                         const load_run_values& x) {
  auto values = disk.load_values(x.run_id, x.prefix);
  if (values && x.with_blobs)
    for (auto& value : *values)
      if (auto why = load_bytes(disk, value.blobs))
        return why;
  return answer_with<run_value_list>(std::move(values), [](auto all) {
    return run_value_list{std::move(all)};
  });
}

caf::result<artifact_list> answer_query(store& disk,
                                        const load_run_artifacts& x) {
  if (x.name.empty())
    return answer_with<artifact_list>(disk.list_artifacts(x.run_id),
                                      [](auto all) {
                                        return artifact_list{std::move(all)};
                                      });
  return answer_with<artifact_list>(disk.load_artifact(x.run_id, x.name),
                                    [](std::optional<artifact_record> one) {
                                      auto result = artifact_list{};
                                      if (one)
                                        result.artifacts.push_back(
                                          std::move(*one));
                                      return result;
                                    });
}

caf::result<erased_sessions> answer_query(store& disk, const erase_run& x) {
  return answer_with<erased_sessions>(disk.erase_run(x.run_id), [](bool gone) {
    return erased_sessions{uint64_t{gone}};
  });
}

caf::result<run_list> answer_query(store& disk, const acquire_run& x) {
  auto now = now_micros();
  auto until = now + micros(x.lease);
  if (!x.run_id.empty())
    return answer_one(disk.acquire(x.run_id, x.owner, now, until));
  auto queue = std::optional<std::string>{};
  if (x.by_queue)
    queue = x.queue;
  return answer_one(disk.acquire_due(queue, x.owner, now, until));
}

caf::result<run_id_list> answer_query(store& disk, const renew_leases& x) {
  auto claims = std::vector<store::lease_claim>{};
  for (const auto& run : x.runs)
    claims.push_back({run.run_id, run.epoch});
  if (auto why = disk.renew(claims, now_micros() + micros(x.lease)))
    return why;
  auto lost = run_id_list{};
  for (auto& claim : claims)
    if (claim.epoch == 0)
      lost.run_ids.push_back(std::move(claim.run_id));
  return lost;
}

caf::result<run_id_list> answer_query(store& disk, const reconcile_runs&) {
  return answer_ids(disk.reconcile(now_micros(), is_process_gone));
}

caf::result<run_list> answer_query(store& disk, const request_run_cancel& x) {
  return answer_one(disk.request_cancel(x.run_id));
}

caf::result<run_id_list> answer_query(store& disk,
                                      const find_cancel_requests& x) {
  return answer_ids(disk.cancel_requests(x.run_ids));
}

} // namespace troupe
