#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/storage/conformance/store_case.hpp"
#include "troupe/storage/store.hpp"

#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace troupe::conformance {

// What the cases are written with.

using where = std::source_location;

[[noreturn]] inline void fail(const std::string& what,
                              const where& at = where::current()) {
  throw failure{std::string{at.function_name()} + ", line "
                + std::to_string(at.line()) + ": " + what};
}

/// Fails unless `holds`, which `what` says in words.
inline void expect(bool holds, const std::string& what,
                   const where& at = where::current()) {
  if (!holds)
    fail("expected that " + what, at);
}

/// Fails unless both are equal.
template <class T, class U>
void expect_equal(const T& found, const U& wanted, const std::string& what,
                  const where& at = where::current()) {
  if (found == wanted)
    return;
  auto text = what + " is wrong";
  if constexpr (std::is_arithmetic_v<T>)
    text += ": " + std::to_string(found) + " instead of "
            + std::to_string(wanted);
  else if constexpr (std::is_same_v<T, std::string>)
    text += ": \"" + found.substr(0, 80) + "\" instead of \""
            + std::string{wanted}.substr(0, 80) + "\"";
  fail(text, at);
}

/// The value of `x`, which must be one.
template <class T>
T value_of(caf::expected<T> x, const where& at = where::current()) {
  if (!x)
    fail("the call failed: " + render(to_fault(x.error())), at);
  return std::move(*x);
}

/// The value in the value of `x`.
template <class T>
T found_in(caf::expected<std::optional<T>> x,
           const where& at = where::current()) {
  auto result = value_of(std::move(x), at);
  expect(result.has_value(), "there is one", at);
  return std::move(*result);
}

inline void succeed(const caf::error& why, const where& at = where::current()) {
  if (why)
    fail("the call failed: " + render(to_fault(why)), at);
}

// -- conversations ------------------------------------------------------------

inline session_key key_of(std::string session_id) {
  return {"agent", std::move(session_id), ""};
}

inline session_record record_of(record_kind kind, int64_t at,
                                std::string body = "body") {
  return {0, kind, at, std::move(body)};
}

inline session_record message_of(int64_t at, std::string body = "body") {
  return record_of(record_kind::message, at, std::move(body));
}

/// Commits one entry; why it was refused.
inline commit_refusal commit(store& to, store_commit& entry,
                             const where& at = where::current()) {
  auto batch = std::vector<store_commit>{std::move(entry)};
  succeed(to.commit(batch), at);
  entry = std::move(batch.front());
  return entry.refusal;
}

/// Commits one entry, which must not be refused.
inline void commit_well(store& to, store_commit entry,
                        const where& at = where::current()) {
  expect(commit(to, entry, at) == commit_refusal::none,
         "the commit is not refused", at);
}

/// An entry that appends one message.
inline store_commit append_of(const session_key& key, int64_t at,
                              std::string body = "body") {
  auto result = store_commit{};
  result.sessions.push_back({key, {message_of(at, std::move(body))}});
  return result;
}

/// Appends one message to a conversation that no run has.
inline void append(store& to, const session_key& key, int64_t at,
                   std::string body = "body",
                   const where& from = where::current()) {
  commit_well(to, append_of(key, at, std::move(body)), from);
}

/// All records of `key`, loaded two at a time.
inline std::vector<session_record>
load_all(store& from, const session_key& key,
         const where& at = where::current()) {
  auto result = std::vector<session_record>{};
  for (;;) {
    auto page = value_of(from.load(key, result.size(), 2), at);
    expect(page.size() <= 2, "a page has no more records than asked for", at);
    if (page.empty())
      return result;
    for (auto& record : page)
      result.push_back(std::move(record));
  }
}

/// The bodies of all records of `key`, and fails unless their seqs are 1, 2, 3…
inline std::vector<std::string> bodies_of(store& from, const session_key& key,
                                          const where& at = where::current()) {
  auto result = std::vector<std::string>{};
  for (auto& record : load_all(from, key, at)) {
    result.push_back(std::move(record.body));
    expect_equal(record.seq, uint64_t{result.size()}, "the seq of a record",
                 at);
  }
  return result;
}

// -- runs ---------------------------------------------------------------------

/// The owner that the runs of these cases have at first.
constexpr auto first_owner = "host/1";

/// After everything, and still a time that something can be added to.
constexpr auto far_future = INT64_MAX / 2;

/// When their leases end.
constexpr auto lease_end = int64_t{1000};

/// An entry that begins a run of an agent.
inline store_commit begin_of(const std::string& id,
                             run_status status = run_status::running,
                             int64_t created_at = 1) {
  auto result = store_commit{};
  result.run_id = id;
  auto& head = result.begin.emplace();
  head.run_id = id;
  head.kind = "agent";
  head.name = "guide";
  head.status = status;
  head.created_at = created_at;
  head.details = "details of " + id;
  if (status == run_status::running)
    head.lease = {first_owner, 0, lease_end};
  return result;
}

inline void begin(store& to, const std::string& id,
                  run_status status = run_status::running,
                  int64_t created_at = 1, const where& at = where::current()) {
  commit_well(to, begin_of(id, status, created_at), at);
}

/// An entry of the owner with `epoch`.
inline store_commit entry_of(const std::string& id, uint64_t epoch = 1) {
  auto result = store_commit{};
  result.run_id = id;
  result.epoch = epoch;
  return result;
}

/// An entry that changes the status.
inline store_commit change_of(const std::string& id, run_status status,
                              int64_t at = 10, uint64_t epoch = 1,
                              int64_t due_at = 0) {
  auto result = entry_of(id, epoch);
  result.change = run_change{status, at, due_at, "changed"};
  return result;
}

inline void change(store& to, const std::string& id, run_status status,
                   int64_t at = 10, uint64_t epoch = 1,
                   const where& from = where::current()) {
  commit_well(to, change_of(id, status, at, epoch), from);
}

/// An entry with one event.
inline store_commit event_of(const std::string& id, uint64_t seq,
                             std::string body = "event", uint64_t epoch = 1) {
  auto result = entry_of(id, epoch);
  result.events.push_back({seq, static_cast<int64_t>(seq), std::move(body)});
  return result;
}

inline std::vector<std::string> ids_of(const std::vector<run_head>& runs) {
  auto result = std::vector<std::string>{};
  for (const auto& run : runs)
    result.push_back(run.run_id);
  return result;
}

/// Ids of the runs with `status`, newest first.
inline std::vector<std::string> ids_with(store& from, run_status status,
                                         const where& at = where::current()) {
  auto filter = run_filter{};
  filter.status = status;
  return ids_of(value_of(from.list_runs(filter, SIZE_MAX), at));
}

using ids = std::vector<std::string>;

} // namespace troupe::conformance
