#include "troupe/runtime/run/session_text.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/session_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <istream>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace troupe {

namespace {

constexpr auto page_size = uint64_t{1024};

/// What has been read of a file, line by line.
struct import_state {
  bool has_head = false;
  uint64_t expected = 0;
  session_append session;
  std::map<std::string, std::shared_ptr<const std::string>> blobs;

  caf::error take(const std::string& text) {
    if (auto checked = parse_object(text); !checked) // not too deep, too
      return std::move(checked.error());
    auto line = nlohmann::ordered_json::parse(text);
    return has_head ? take_record(line) : take_head(line);
  }

  caf::error take_head(const nlohmann::ordered_json& line) {
    auto head = read_head_line(line);
    if (!head)
      return std::move(head.error());
    session.key = std::move(head->key);
    expected = head->records;
    has_head = true;
    return {};
  }

  caf::error take_record(const nlohmann::ordered_json& line) {
    auto record = read_record_line(line);
    if (!record)
      return std::move(record.error());
    auto next = session.records.size() + 1;
    if (record->seq != next)
      return make_error(errc::configuration,
                        "`seq` should be " + std::to_string(next));
    for (auto& blob : record->blobs)
      if (auto why = resolve(blob))
        return why;
    session.records.push_back(std::move(*record));
    return {};
  }

  /// Bytes that several records have are written with the first.
  caf::error resolve(stored_blob& blob) {
    auto& known = blobs[blob.digest];
    if (!known)
      known = blob.bytes;
    if (!known || known->size() != blob.size)
      return make_error(errc::configuration,
                        "a blob has no `data`, here or before");
    blob.bytes = known;
    return {};
  }

  caf::error check_end() const {
    if (!has_head)
      return make_error(errc::configuration, "there is no session");
    if (session.records.size() == expected)
      return {};
    return make_error(errc::configuration,
                      "it has " + std::to_string(session.records.size())
                        + " records and should have "
                        + std::to_string(expected));
  }
};

/// Gives the blobs of `record` their bytes, unless they were `written` before.
caf::error load_blobs(store& disk, session_record& record,
                      std::set<std::string>& written) {
  for (auto& blob : record.blobs) {
    if (!written.insert(blob.digest).second)
      continue;
    auto bytes = disk.load_blob(blob);
    if (!bytes)
      return std::move(bytes.error());
    if (!*bytes)
      return make_error(errc::storage, "the session was deleted meanwhile");
    blob.bytes = std::move(*bytes);
  }
  return {};
}

caf::error at_line(const caf::error& why, size_t number) {
  return make_error(errc::configuration, to_fault(why).message,
                    "line " + std::to_string(number),
                    "troupe sessions export writes what can be imported");
}

} // namespace

caf::error export_session(store& disk, const session_key& key,
                          const std::function<void(const std::string&)>& line) {
  auto head = disk.find_session(key);
  if (!head)
    return std::move(head.error());
  if (!*head)
    return make_error(errc::configuration,
                      "there is no session \"" + key.session_id + "\"");
  line(head_line(**head).dump());
  auto written = std::set<std::string>{};
  auto last = (*head)->records; // what comes meanwhile is not in the head
  for (auto after = uint64_t{0}; after < last;) {
    auto page = disk.load(key, after,
                          std::min<uint64_t>(page_size, last - after));
    if (!page)
      return std::move(page.error());
    if (page->empty())
      return make_error(errc::storage, "the session was deleted meanwhile");
    for (auto& record : *page) {
      if (auto why = load_blobs(disk, record, written))
        return why;
      auto text = record_line(record);
      if (!text)
        return std::move(text.error());
      line(text->dump());
      record = {}; // a page of images need not stay until its end
    }
    after += page->size();
  }
  return {};
}

caf::expected<session_append> read_exported(std::istream& in) {
  auto state = import_state{};
  auto number = size_t{0};
  for (auto text = std::string{}; std::getline(in, text);) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    if (auto why = state.take(text))
      return at_line(why, number);
  }
  if (auto why = state.check_end())
    return at_line(why, number + 1);
  return std::move(state.session);
}

caf::error import_session(store& disk, session_append session) {
  auto there = disk.find_session(session.key);
  if (!there)
    return std::move(there.error());
  if (*there)
    return make_error(errc::configuration,
                      "there is a session \"" + session.key.session_id
                        + "\" already",
                      {}, "troupe sessions delete " + session.key.session_id);
  if (session.records.empty())
    return make_error(errc::configuration,
                      "a session without any record is none");
  auto batch = std::vector<store_commit>(1);
  batch.front().sessions.push_back(std::move(session));
  return disk.commit(batch);
}

} // namespace troupe
