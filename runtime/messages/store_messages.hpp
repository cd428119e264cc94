#pragma once

#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/messages/run_messages.hpp"
#include "troupe/runtime/messages/session_messages.hpp"
#include "troupe/storage/run_records.hpp"

#include "caf/meta/type_name.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

// The storage layer's plain structs, as messages.

template <class Inspector>
auto inspect(Inspector& f, run_lease& x) {
  return f(caf::meta::type_name("troupe::run_lease"), x.owner, x.epoch,
           x.until);
}

template <class Inspector>
auto inspect(Inspector& f, run_head& x) {
  return f(caf::meta::type_name("troupe::run_head"), x.run_id, x.kind, x.name,
           x.queue, x.session, x.status, x.created_at, x.updated_at, x.due_at,
           x.lease, x.events, x.recoveries, x.cancel_requested, x.details);
}

template <class Inspector>
auto inspect(Inspector& f, run_value& x) {
  return f(caf::meta::type_name("troupe::run_value"), x.name, x.at, x.body,
           x.blobs);
}

template <class Inspector>
auto inspect(Inspector& f, artifact_record& x) {
  return f(caf::meta::type_name("troupe::artifact_record"), x.name,
           x.media_type, x.at, x.size, x.content);
}

template <class Inspector>
auto inspect(Inspector& f, run_change& x) {
  return f(caf::meta::type_name("troupe::run_change"), x.status, x.at, x.due_at,
           x.details);
}

/// One entry of a conversation's log: a message, or, where there is none, an
/// intent, the run state as it is from here on, or a summary.
struct log_entry {
  chat_message_ptr message;
  call_intent intent;
  std::string state_json;
  /// Zero or one.
  std::vector<history_summary> summary;
};

template <class Inspector>
auto inspect(Inspector& f, log_entry& x) {
  return f(caf::meta::type_name("troupe::log_entry"), x.message, x.intent,
           x.state_json, x.summary);
}

/// Who may write to a run, and into which conversation.
struct run_key {
  std::string run_id;
  uint64_t epoch = 0;
  session_key session;
};

template <class Inspector>
auto inspect(Inspector& f, run_key& x) {
  return f(caf::meta::type_name("troupe::run_key"), x.run_id, x.epoch,
           x.session);
}

/// What happened in a run since its last commit; stored at once or not at all,
/// in the order it was sent. `sync_store` says when it is safe.
struct commit_run {
  shared<run_key> run;
  /// Zero or one: the run begins.
  std::vector<run_head> begin;
  std::vector<log_entry> log;
  std::vector<run_event> events;
  std::vector<run_value> values;
  std::vector<artifact_record> artifacts;
  /// Zero or one.
  std::vector<run_change> change;
  /// What is stored of the end of a run that could not be stored as it was: see
  /// `store_commit`. Other commits are refused once one of the run failed.
  bool is_last_word = false;
};

template <class Inspector>
auto inspect(Inspector& f, commit_run& x) {
  return f(caf::meta::type_name("troupe::commit_run"), x.run, x.begin, x.log,
           x.events, x.values, x.artifacts, x.change, x.is_last_word);
}

/// Answered when everything that was committed to the run before is as durable
/// as the store makes it; an error when any of it could not be stored, or was
/// refused because somebody else has the run or its conversation.
struct sync_store {
  shared<run_key> run;
};

template <class Inspector>
auto inspect(Inspector& f, sync_store& x) {
  return f(caf::meta::type_name("troupe::sync_store"), x.run);
}

struct find_run {
  std::string run_id;
};

template <class Inspector>
auto inspect(Inspector& f, find_run& x) {
  return f(caf::meta::type_name("troupe::find_run"), x.run_id);
}

/// Which runs are wanted, newest first.
struct list_runs {
  bool by_status = false;
  run_status status = run_status::pending;
  std::string kind;
  std::string name;
  bool by_queue = false;
  std::string queue;
  int64_t since = 0;
  int64_t until = 0;
  uint64_t max = 1000;
};

template <class Inspector>
auto inspect(Inspector& f, list_runs& x) {
  return f(caf::meta::type_name("troupe::list_runs"), x.by_status, x.status,
           x.kind, x.name, x.by_queue, x.queue, x.since, x.until, x.max);
}

struct run_list {
  std::vector<run_head> runs;
};

template <class Inspector>
auto inspect(Inspector& f, run_list& x) {
  return f(caf::meta::type_name("troupe::run_list"), x.runs);
}

/// Events of a run with `after` < seq, whole.
struct load_run_events {
  std::string run_id;
  uint64_t after = 0;
  uint64_t max = 1000;
};

template <class Inspector>
auto inspect(Inspector& f, load_run_events& x) {
  return f(caf::meta::type_name("troupe::load_run_events"), x.run_id, x.after,
           x.max);
}

struct load_run_values {
  std::string run_id;
  std::string prefix;
  /// Whether their blobs have their bytes.
  bool with_blobs = false;
};

template <class Inspector>
auto inspect(Inspector& f, load_run_values& x) {
  return f(caf::meta::type_name("troupe::load_run_values"), x.run_id, x.prefix,
           x.with_blobs);
}

struct run_value_list {
  std::vector<run_value> values;
};

template <class Inspector>
auto inspect(Inspector& f, run_value_list& x) {
  return f(caf::meta::type_name("troupe::run_value_list"), x.values);
}

/// The artifacts of a run without their contents; with a name that one, whole.
struct load_run_artifacts {
  std::string run_id;
  std::string name;
};

template <class Inspector>
auto inspect(Inspector& f, load_run_artifacts& x) {
  return f(caf::meta::type_name("troupe::load_run_artifacts"), x.run_id,
           x.name);
}

struct artifact_list {
  std::vector<artifact_record> artifacts;
};

template <class Inspector>
auto inspect(Inspector& f, artifact_list& x) {
  return f(caf::meta::type_name("troupe::artifact_list"), x.artifacts);
}

/// Removes a run that is over; answered with how many went.
struct erase_run {
  std::string run_id;
};

template <class Inspector>
auto inspect(Inspector& f, erase_run& x) {
  return f(caf::meta::type_name("troupe::erase_run"), x.run_id);
}

/// Begins a conversation with the first records of another; 0: all of them.
struct fork_session {
  session_key from;
  session_key to;
  uint64_t records = 0;
};

template <class Inspector>
auto inspect(Inspector& f, fork_session& x) {
  return f(caf::meta::type_name("troupe::fork_session"), x.from, x.to,
           x.records);
}

/// Asks for a run for `owner`: that one, or, where no id is given, the queued
/// one that has been due longest.
struct acquire_run {
  std::string run_id;
  bool by_queue = false;
  std::string queue;
  std::string owner;
  caf::timespan lease{0};
};

template <class Inspector>
auto inspect(Inspector& f, acquire_run& x) {
  return f(caf::meta::type_name("troupe::acquire_run"), x.run_id, x.by_queue,
           x.queue, x.owner, x.lease);
}

/// Extends leases; answered with the ids of runs that are no longer the
/// sender's.
struct renew_leases {
  std::vector<run_key> runs;
  caf::timespan lease{0};
};

template <class Inspector>
auto inspect(Inspector& f, renew_leases& x) {
  return f(caf::meta::type_name("troupe::renew_leases"), x.runs, x.lease);
}

struct run_id_list {
  std::vector<std::string> run_ids;
};

template <class Inspector>
auto inspect(Inspector& f, run_id_list& x) {
  return f(caf::meta::type_name("troupe::run_id_list"), x.run_ids);
}

/// Marks as interrupted the runs whose owners are gone; answered with them.
struct reconcile_runs {};

template <class Inspector>
auto inspect(Inspector& f, reconcile_runs&) {
  return f(caf::meta::type_name("troupe::reconcile_runs"));
}

/// Asks the owner of a run, in whatever process, to end it; answered with the
/// run as it is, or none.
struct request_run_cancel {
  std::string run_id;
};

template <class Inspector>
auto inspect(Inspector& f, request_run_cancel& x) {
  return f(caf::meta::type_name("troupe::request_run_cancel"), x.run_id);
}

/// Which of these runs somebody wants cancelled.
struct find_cancel_requests {
  std::vector<std::string> run_ids;
};

template <class Inspector>
auto inspect(Inspector& f, find_cancel_requests& x) {
  return f(caf::meta::type_name("troupe::find_cancel_requests"), x.run_ids);
}

} // namespace troupe
