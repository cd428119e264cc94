#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/session_access.hpp"
#include "troupe/actors/app/store_access.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/runtime/run/session_text.hpp"
#include "troupe/runtime/run/stored_log.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <utility>

namespace troupe::app {

namespace {

using json = nlohmann::ordered_json;

caf::expected<session_append> read_file(const std::string& file) {
  if (file.empty() || file == "-")
    return read_exported(std::cin);
  auto in = std::ifstream{file, std::ios::binary};
  if (!in)
    return make_error(errc::configuration, "the file cannot be read", file);
  return read_exported(in);
}

caf::error no_message(const options& x) {
  return make_error(errc::configuration,
                    "the session has no message " + std::to_string(x.at),
                    "--at", "troupe sessions show " + x.id + " --json");
}

/// The records of `key` up to its message `x.at`, counted as `sessions show`
/// does; all of them where none is named.
caf::expected<uint64_t> records_to(store& disk, const session_key& key,
                                   const options& x) {
  if (!x.has_at) {
    auto head = disk.find_session(key);
    if (!head)
      return std::move(head.error());
    return *head ? (*head)->records : uint64_t{0};
  }
  auto messages = read_whole_session(disk, key);
  if (!messages)
    return std::move(messages.error());
  if (x.at == 0 || x.at > messages->size())
    return no_message(x);
  auto result = uint64_t{0};
  for (size_t i = 0; i < x.at; ++i)
    result = std::max(result, (*messages)[i]->record);
  return result;
}

int print_session(const options& x, const session_key& key, uint64_t records) {
  if (!x.json)
    return exit_completed;
  auto line = key_json(key);
  line["records"] = records;
  std::cout << line.dump() << '\n';
  return exit_completed;
}

} // namespace

int export_session_command(const options& x) {
  return with_session(x, [](store& disk, const session_key& key) {
    auto why = export_session(disk, key, [](const std::string& line) {
      std::cout << line << '\n';
    });
    return why ? report(why) : int{exit_completed};
  });
}

int import_session_command(const options& x) {
  auto session = read_file(x.exported);
  if (!session)
    return report(session.error());
  auto disk = make_store_for(x);
  if (!disk)
    return report(disk.error());
  auto key = session->key;
  auto records = session->records.size();
  if (auto why = import_session(**disk, std::move(*session)))
    return report(why);
  return print_session(x, key, records);
}

int fork_session_command(const options& x) {
  return with_session(x, [&](store& disk, const session_key& key) {
    auto records = records_to(disk, key, x);
    if (!records)
      return report(records.error());
    auto child = key;
    child.session_id = x.name;
    auto forked = disk.fork(key, *records, child, now_micros());
    if (!forked)
      return report(forked.error());
    if (!*forked)
      return report(make_error(errc::configuration,
                               "there is a session \"" + x.name + "\" already",
                               {}, "troupe sessions list"));
    return print_session(x, child, *records);
  });
}

int prune_sessions_command(const options& x) {
  auto before = parse_older_than(x);
  if (!before)
    return report(before.error());
  auto disk = open_store(x);
  if (!disk)
    return report(disk.error());
  auto all = (*disk)->list({});
  if (!all)
    return report(all.error());
  auto pruned = uint64_t{0};
  for (const auto& listed : *all) { // each a transaction of its own
    if (listed.updated_at >= *before)
      continue;
    auto now = (*disk)->find_session(listed.key); // others may have used it
    if (!now)
      return report(now.error());
    if (!*now || (*now)->updated_at >= *before || !(*now)->open_run.empty())
      continue;
    auto gone = (*disk)->erase(listed.key);
    if (!gone)
      return report(gone.error());
    pruned += *gone;
  }
  if (x.json)
    std::cout << json{{"pruned", pruned}}.dump() << '\n';
  else
    std::cout << pruned << '\n';
  return exit_completed;
}

} // namespace troupe::app
