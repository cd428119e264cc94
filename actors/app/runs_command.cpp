#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/run_tree.hpp"
#include "troupe/actors/app/store_access.hpp"
#include "troupe/actors/app/terminal.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/run_json.hpp"
#include "troupe/runtime/run/stored_log.hpp"
#include "troupe/runtime/run/timestamp.hpp"
#include "troupe/storage/process_identity.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <iostream>
#include <thread>

namespace troupe::app {

namespace {

using json = nlohmann::ordered_json;

constexpr auto page_size = uint64_t{1000};

/// How soon `logs --follow` sees what another process wrote.
constexpr auto glance = std::chrono::milliseconds{100};

caf::error no_run(const std::string& id) {
  return make_error(errc::configuration, "there is no run \"" + id + "\"", {},
                    "troupe runs list");
}

int with_run(const options& x,
             const std::function<int(store&, const run_head&)>& work) {
  auto disk = open_store(x);
  if (!disk)
    return report(disk.error());
  auto head = (*disk)->find_run(x.id);
  if (!head)
    return report(head.error());
  if (!*head)
    return report(no_run(x.id));
  return work(**disk, **head);
}

/// What `runs list` and `runs show` say of a run beside its object.
json head_json(const run_head& head, const run_object& run) {
  auto result = run_json(run);
  result["queue"] = head.queue.empty() ? json(nullptr) : json(head.queue);
  result["due_at"] = head.due_at == 0 ? json(nullptr)
                                      : json(rfc3339(head.due_at));
  result["recoveries"] = head.recoveries;
  return result;
}

caf::expected<run_filter> filter_of(const options& x) {
  auto result = run_filter{};
  if (!x.status.empty())
    result.status = run_status_from(x.status);
  result.kind = x.kind;
  result.name = x.name;
  if (x.has_queue)
    result.queue = x.queue;
  if (x.since.empty())
    return result;
  auto since = parse_since(x.since);
  if (!since)
    return make_error(errc::configuration, to_fault(since.error()).message,
                      "--since");
  result.since = *since;
  return result;
}

/// Prints the events behind `after`; gives the number of the last one.
caf::expected<uint64_t> print_events(store& disk, const run_head& head,
                                     uint64_t after, bool as_json) {
  for (;;) {
    auto events = read_events(disk, head.run_id, after, page_size);
    if (!events)
      return std::move(events.error());
    for (const auto& event : *events) {
      auto line = event_json(event, head.run_id, head.name);
      if (as_json)
        std::cout << line.dump() << '\n';
      else
        std::cout << printable(line["at"].get<std::string>() + "  "
                               + line["type"].get<std::string>() + "  "
                               + line["data"].dump())
                  << '\n';
      after = event.seq;
    }
    if (events->size() < page_size)
      break;
  }
  std::cout << std::flush;
  return after;
}

/// Whether nothing more will come of a run by itself.
bool is_at_rest(const run_head& head) {
  return is_over(head.status) || head.status == run_status::suspended
         || head.status == run_status::interrupted;
}

void print_line(const json& run) {
  std::cout << printable(run["run_id"].get<std::string>() + "  "
                         + run["status"].get<std::string>() + "  "
                         + run["name"].get<std::string>() + "  "
                         + run["created_at"].get<std::string>())
            << '\n';
}

/// A run for people: what there is of it, and its steps as a tree.
void print_run(const json& shown, const run_object& run) {
  for (const auto& [key, value] : shown.items())
    if (!value.is_null() && key != "steps" && key != "trajectory")
      std::cout << printable(
        key + ": "
        + (value.is_string() ? value.get<std::string>() : value.dump()))
                << '\n';
  std::cout << "steps:\n";
  for (const auto& line : run_tree(run, now_micros()))
    std::cout << "  " << printable(line) << '\n';
}

} // namespace

int list_runs_command(const options& x) {
  auto disk = open_store(x);
  if (!disk)
    return report(disk.error());
  auto filter = filter_of(x);
  if (!filter)
    return report(filter.error());
  auto heads = (*disk)->list_runs(*filter, x.limit);
  if (!heads)
    return report(heads.error());
  auto all = json::array();
  for (const auto& head : *heads) {
    auto details = decode_details(head);
    if (!details)
      return report(details.error());
    all.push_back(head_json(head, details->object));
  }
  if (x.json)
    std::cout << all.dump(2) << '\n';
  else
    for (const auto& run : all)
      print_line(run);
  return exit_completed;
}

int show_run_command(const options& x) {
  return with_run(x, [&](store&, const run_head& head) {
    auto details = decode_details(head);
    if (!details)
      return report(details.error());
    auto run = head_json(head, details->object);
    if (x.json)
      std::cout << run.dump(2) << '\n';
    else
      print_run(run, details->object);
    return exit_completed;
  });
}

int show_run_logs(const options& x) {
  return with_run(x, [&](store& disk, const run_head& head) {
    auto after = uint64_t{0};
    auto now = head;
    for (;;) {
      auto last = print_events(disk, now, after, x.json);
      if (!last)
        return report(last.error());
      after = *last;
      if (!x.follow || (is_at_rest(now) && after >= now.events))
        return exit_completed;
      if (!std::cout)
        return exit_failed; // nobody reads any more
      std::this_thread::sleep_for(glance);
      auto found = disk.find_run(x.id);
      if (!found)
        return report(found.error());
      if (!*found)
        return exit_completed; // it was pruned
      now = std::move(**found);
    }
  });
}

int show_artifacts(const options& x) {
  return with_run(x, [&](store& disk, const run_head& head) {
    if (!x.name.empty()) {
      auto found = disk.load_artifact(head.run_id, x.name);
      if (!found)
        return report(found.error());
      if (!*found)
        return report(make_error(errc::configuration,
                                 "the run has no artifact \"" + x.name + "\"",
                                 {}, "troupe runs artifacts " + head.run_id));
      std::cout << (*found)->content << std::flush;
      return exit_completed;
    }
    auto all = disk.list_artifacts(head.run_id);
    if (!all)
      return report(all.error());
    auto result = json::array();
    for (const auto& one : *all) {
      result.push_back({{"name", one.name},
                        {"media_type", one.media_type},
                        {"bytes", one.size},
                        {"at", rfc3339(one.at)}});
      if (!x.json)
        std::cout << printable(one.name + "  " + one.media_type + "  "
                               + std::to_string(one.size) + " bytes")
                  << '\n';
    }
    if (x.json)
      std::cout << result.dump(2) << '\n';
    return exit_completed;
  });
}

int reconcile_runs_command(const options& x) {
  auto disk = open_store(x);
  if (!disk)
    return report(disk.error());
  auto marked = (*disk)->reconcile(now_micros(), is_process_gone);
  if (!marked)
    return report(marked.error());
  if (x.json)
    std::cout << json{{"interrupted", marked->size()}, {"runs", *marked}}.dump()
              << '\n';
  else
    std::cout << marked->size() << '\n';
  return exit_completed;
}

int prune_runs_command(const options& x) {
  auto cutoff = parse_older_than(x);
  if (!cutoff)
    return report(cutoff.error());
  auto disk = open_store(x);
  if (!disk)
    return report(disk.error());
  auto filter = run_filter{};
  if (!x.status.empty())
    filter.status = run_status_from(x.status);
  filter.until = *cutoff;
  auto pruned = uint64_t{0};
  for (;;) {
    auto heads = (*disk)->list_runs(filter, page_size, [](const run_head& run) {
      return is_over(run.status);
    });
    if (!heads)
      return report(heads.error());
    auto before = pruned;
    for (const auto& head : *heads) { // each a transaction of its own
      auto gone = (*disk)->erase_run(head.run_id);
      if (!gone)
        return report(gone.error());
      pruned += *gone ? 1 : 0;
    }
    if (heads->size() < page_size || pruned == before)
      break;
  }
  if (x.json)
    std::cout << json{{"pruned", pruned}}.dump() << '\n';
  else
    std::cout << pruned << '\n';
  return exit_completed;
}

} // namespace troupe::app
