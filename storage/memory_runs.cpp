#include "troupe/storage/memory_runs.hpp"

#include "troupe/storage/run_rules.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe {

namespace {

bool begins_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

} // namespace

const run_head* memory_runs::find(const std::string& run_id) const {
  auto found = runs_.find(run_id);
  return found == runs_.end() ? nullptr : &found->second.head;
}

// -- writing ------------------------------------------------------------------

void memory_runs::commit(store_commit& entry) {
  // A new run is mostly the newest as well.
  auto& to = runs_.try_emplace(runs_.end(), entry.run_id)->second;
  auto is_new = to.head.run_id.empty();
  auto moves = is_new || entry.change;
  if (!is_new && moves)
    unmark(to.head);
  if (is_new)
    to.head = head_after(nullptr, entry);
  else
    apply_commit(to.head, entry);
  if (moves)
    mark(to.head);
  std::move(entry.events.begin(), entry.events.end(),
            std::back_inserter(to.events));
  for (auto& value : entry.values)
    to.values[value.name] = std::move(value);
  for (const auto& artifact : entry.artifacts)
    put_artifact(to, artifact);
}

void memory_runs::replace(run_head head) {
  auto& to = runs_.at(head.run_id);
  unmark(to.head);
  to.head = std::move(head);
  mark(to.head);
}

bool memory_runs::erase(const std::string& run_id) {
  auto found = runs_.find(run_id);
  if (found == runs_.end() || !is_over(found->second.head.status))
    return false;
  unmark(found->second.head);
  for (const auto& [name, bytes] : found->second.contents)
    release(bytes);
  runs_.erase(found);
  return true;
}

void memory_runs::mark(const run_head& head) {
  statuses_[static_cast<size_t>(head.status)].insert(head.run_id);
  if (head.status != run_status::queued)
    return;
  due_.emplace(due_since(head), head.run_id);
  due_by_queue_[head.queue].emplace(due_since(head), head.run_id);
}

void memory_runs::unmark(const run_head& head) {
  statuses_[static_cast<size_t>(head.status)].erase(head.run_id);
  if (head.status != run_status::queued)
    return;
  auto entry = std::pair{due_since(head), head.run_id};
  due_.erase(entry);
  auto queue = due_by_queue_.find(head.queue);
  queue->second.erase(entry);
  if (queue->second.empty())
    due_by_queue_.erase(queue);
}

// -- artifacts ----------------------------------------------------------------

void memory_runs::put_artifact(run& to, const artifact_record& artifact) {
  auto bytes = use(artifact.content);
  auto [at, is_new] = to.contents.emplace(artifact.name, bytes);
  if (!is_new)
    release(std::exchange(at->second, bytes));
  to.artifacts[artifact.name]
    = {artifact.name, artifact.media_type, artifact.at, bytes.size(), {}};
}

std::string_view memory_runs::use(const std::string& bytes) {
  auto found = contents_.find(bytes);
  if (found == contents_.end()) {
    auto copy = std::make_unique<const std::string>(bytes);
    auto view = std::string_view{*copy};
    found = contents_.emplace(view, content{std::move(copy), 0}).first;
  }
  ++found->second.uses;
  return found->first;
}

void memory_runs::release(std::string_view bytes) {
  auto found = contents_.find(bytes);
  if (--found->second.uses == 0)
    contents_.erase(found);
}

// -- reading ------------------------------------------------------------------

std::vector<run_head>
memory_runs::list(const run_filter& filter, size_t max,
                  const std::function<bool(const run_head&)>& matches) const {
  auto result = std::vector<run_head>{};
  auto collect = [&](const run_head& head) {
    if (result.size() < max && is_wanted(head, filter)
        && (!matches || matches(head)))
      result.push_back(head);
    return result.size() < max;
  };
  if (filter.status) {
    const auto& ids = with_status(*filter.status);
    for (auto id = ids.rbegin(); id != ids.rend(); ++id)
      if (!collect(runs_.at(*id).head))
        break;
    return result;
  }
  for (auto at = runs_.rbegin(); at != runs_.rend(); ++at)
    if (!collect(at->second.head))
      break;
  return result;
}

std::vector<event_record> memory_runs::load_events(const std::string& run_id,
                                                   uint64_t after,
                                                   size_t max) const {
  auto found = runs_.find(run_id);
  if (found == runs_.end())
    return {};
  const auto& events = found->second.events;
  auto first = std::min<uint64_t>(after, events.size());
  auto count = std::min<uint64_t>(max, events.size() - first);
  auto begin = events.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

std::vector<run_value>
memory_runs::load_values(const std::string& run_id,
                         const std::string& prefix) const {
  auto result = std::vector<run_value>{};
  auto found = runs_.find(run_id);
  if (found == runs_.end())
    return result;
  const auto& values = found->second.values;
  for (auto at = values.lower_bound(prefix);
       at != values.end() && begins_with(at->first, prefix); ++at)
    result.push_back(at->second);
  return result;
}

std::vector<artifact_record>
memory_runs::list_artifacts(const std::string& run_id) const {
  auto result = std::vector<artifact_record>{};
  auto found = runs_.find(run_id);
  if (found != runs_.end())
    for (const auto& [name, artifact] : found->second.artifacts)
      result.push_back(artifact);
  return result;
}

std::optional<artifact_record>
memory_runs::load_artifact(const std::string& run_id,
                           const std::string& name) const {
  auto found = runs_.find(run_id);
  if (found == runs_.end())
    return std::nullopt;
  auto artifact = found->second.artifacts.find(name);
  if (artifact == found->second.artifacts.end())
    return std::nullopt;
  auto result = artifact->second;
  result.content.assign(found->second.contents.at(name));
  return result;
}

const std::set<std::string>& memory_runs::with_status(run_status status) const {
  return statuses_[static_cast<size_t>(status)];
}

std::optional<std::pair<int64_t, std::string>>
memory_runs::first_due(const std::optional<std::string>& queue) const {
  const auto* from = &due_;
  if (queue) {
    auto found = due_by_queue_.find(*queue);
    if (found == due_by_queue_.end())
      return std::nullopt;
    from = &found->second;
  }
  if (from->empty())
    return std::nullopt;
  return *from->begin();
}

} // namespace troupe
