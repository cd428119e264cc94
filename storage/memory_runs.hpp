#pragma once

#include "troupe/storage/run_records.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

/// The runs of a store in memory. Belongs to it.
class memory_runs {
public:
  /// The run's head, or null.
  const run_head* find(const std::string& run_id) const;

  /// Stores what `entry`, which is not refused, says of its run.
  void commit(store_commit& entry);

  std::vector<run_head>
  list(const run_filter& filter, size_t max,
       const std::function<bool(const run_head&)>& matches) const;

  std::vector<event_record> load_events(const std::string& run_id,
                                        uint64_t after, size_t max) const;

  std::vector<run_value> load_values(const std::string& run_id,
                                     const std::string& prefix) const;

  std::vector<artifact_record> list_artifacts(const std::string& run_id) const;

  std::optional<artifact_record> load_artifact(const std::string& run_id,
                                               const std::string& name) const;

  bool erase(const std::string& run_id);

  /// Puts `head` in place of that of its run, which exists.
  void replace(run_head head);

  /// Ids of the runs that have `status`.
  const std::set<std::string>& with_status(run_status status) const;

  /// When the queued run that has been due longest is due, and its id.
  std::optional<std::pair<int64_t, std::string>>
  first_due(const std::optional<std::string>& queue) const;

private:
  struct run {
    run_head head;
    std::vector<event_record> events;
    std::map<std::string, run_value> values;
    /// Without their contents.
    std::map<std::string, artifact_record> artifacts;
    std::map<std::string, std::string_view> contents;
  };

  /// Bytes of artifacts, once however often they occur.
  struct content {
    std::unique_ptr<const std::string> bytes;
    uint64_t uses = 0;
  };

  using due_set = std::set<std::pair<int64_t, std::string>>;

  void mark(const run_head& head);
  void unmark(const run_head& head);
  void put_artifact(run& to, const artifact_record& artifact);
  std::string_view use(const std::string& bytes);
  void release(std::string_view bytes);

  std::map<std::string, run> runs_;
  std::array<std::set<std::string>, 9> statuses_;
  due_set due_;
  std::map<std::string, due_set> due_by_queue_;
  std::unordered_map<std::string_view, content> contents_;
};

} // namespace troupe
