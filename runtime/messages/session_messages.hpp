#pragma once

#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/messages/shared.hpp"
#include "troupe/storage/session_records.hpp"

#include "caf/error.hpp"
#include "caf/meta/load_callback.hpp"
#include "caf/meta/type_name.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

// The storage layer's plain structs, as messages.

template <class Inspector>
auto inspect(Inspector& f, session_key& x) {
  return f(caf::meta::type_name("troupe::session_key"), x.agent, x.session_id,
           x.actor_id);
}

template <class Inspector>
auto inspect(Inspector& f, stored_blob& x) {
  auto bytes = shared<std::string>{x.bytes};
  auto take = [&]() -> caf::error {
    x.bytes = bytes.pointer();
    return {};
  };
  return f(caf::meta::type_name("troupe::stored_blob"), x.digest, x.size, bytes,
           caf::meta::load_callback(take));
}

template <class Inspector>
auto inspect(Inspector& f, session_record& x) {
  return f(caf::meta::type_name("troupe::session_record"), x.seq, x.kind, x.at,
           x.body, x.blobs);
}

template <class Inspector>
auto inspect(Inspector& f, session_summary& x) {
  return f(caf::meta::type_name("troupe::session_summary"), x.key, x.records,
           x.messages, x.created_at, x.updated_at, x.open_run, x.last_state,
           x.last_summary, x.parent, x.parent_records);
}

/// Asks for the next turn of a conversation; answered when it is this run's.
struct open_turn {
  session_key key;
  std::string run_id;
  /// The id was just made up: there is nothing to load.
  bool fresh = false;
  /// The run has been here before: calls without a result stay open.
  bool resumes = false;
  /// Under which the run is held; 0: it is in no store.
  uint64_t epoch = 0;
};

template <class Inspector>
auto inspect(Inspector& f, open_turn& x) {
  return f(caf::meta::type_name("troupe::open_turn"), x.key, x.run_id, x.fresh,
           x.resumes, x.epoch);
}

/// A tool call that is about to start: the one with this id that comes as
/// `occurrence` (from 0) among the calls of the conversation's last message.
struct call_intent {
  std::string call_id;
  uint32_t occurrence = 0;
};

template <class Inspector>
auto inspect(Inspector& f, call_intent& x) {
  return f(caf::meta::type_name("troupe::call_intent"), x.call_id,
           x.occurrence);
}

/// What stands for the oldest part of a conversation.
struct history_summary {
  /// Empty: the old messages were only left out.
  std::string text;
  /// The first record that still counts.
  uint64_t keep_from = 1;
  /// A record before it that counts as well: what the user asked last; 0: none.
  uint64_t keep_also = 0;
};

template <class Inspector>
auto inspect(Inspector& f, history_summary& x) {
  return f(caf::meta::type_name("troupe::history_summary"), x.text, x.keep_from,
           x.keep_also);
}

/// The conversation so far, until `close_turn` this run's alone. Always one
/// that a provider accepts, but for the calls that a resumed run left open.
struct session_turn {
  std::vector<chat_message_ptr> messages;
  /// The run state that the last turn left: the text of a JSON object.
  std::string state_json = "{}";
  /// Results that a crash left out, already among `messages`; to be stored.
  std::vector<chat_message_ptr> repaired;
  /// The results that are there for the calls of the last message; empty
  /// unless a resumed run left some open.
  std::vector<chat_message_ptr> settled;
  /// Calls of the last message that were about to start, or had.
  std::vector<call_intent> intents;
  /// How many records the log has, and which of them is the last answer of the
  /// model.
  uint64_t records = 0;
  uint64_t answer_record = 0;
};

template <class Inspector>
auto inspect(Inspector& f, session_turn& x) {
  return f(caf::meta::type_name("troupe::session_turn"), x.messages,
           x.state_json, x.repaired, x.settled, x.intents, x.records,
           x.answer_record);
}

/// Gives a turn back, or no longer wants it. With `keep` the messages are the
/// conversation from here on; without, it is loaded anew when next needed.
struct close_turn {
  session_key key;
  std::string run_id;
  bool keep = false;
  std::vector<chat_message_ptr> messages;
  std::string state_json;
  /// How many records its log has.
  uint64_t records = 0;
};

template <class Inspector>
auto inspect(Inspector& f, close_turn& x) {
  return f(caf::meta::type_name("troupe::close_turn"), x.key, x.run_id, x.keep,
           x.messages, x.state_json, x.records);
}

/// A session tells its registry that nobody waits for it.
struct session_idle {
  session_key key;
  /// Turns it was asked for since it started, all of them over.
  uint64_t served = 0;
};

template <class Inspector>
auto inspect(Inspector& f, session_idle& x) {
  return f(caf::meta::type_name("troupe::session_idle"), x.key, x.served);
}

/// The store's note to itself that appends wait to be committed.
struct flush_store {};

template <class Inspector>
auto inspect(Inspector& f, flush_store&) {
  return f(caf::meta::type_name("troupe::flush_store"));
}

struct load_session {
  session_key key;
  /// As many records the sender has; where there are no more, none are sent. 0:
  /// all are wanted.
  uint64_t known_records = 0;
  /// The run that takes the conversation if nobody has it, and the epoch under
  /// which that is held; 0: it is only looked at.
  std::string run_id = {};
  uint64_t epoch = 0;
};

template <class Inspector>
auto inspect(Inspector& f, load_session& x) {
  return f(caf::meta::type_name("troupe::load_session"), x.key, x.known_records,
           x.run_id, x.epoch);
}

/// A session's log as it is stored.
struct stored_session {
  std::vector<chat_message_ptr> messages;
  /// Of calls of the last assistant message.
  std::vector<call_intent> intents;
  std::string state_json = "{}";
  /// How many records the log has, and which of them is the last answer of the
  /// model.
  uint64_t records = 0;
  uint64_t answer_record = 0;
  /// The run that the conversation belongs to; empty: none.
  std::string open_run;
  /// The sender has everything, so nothing is here.
  bool is_known = false;
};

template <class Inspector>
auto inspect(Inspector& f, stored_session& x) {
  return f(caf::meta::type_name("troupe::stored_session"), x.messages,
           x.intents, x.state_json, x.records, x.answer_record, x.open_run,
           x.is_known);
}

/// Lists sessions, newest first; of one id where `session_id` is not empty.
struct list_sessions {
  std::string session_id;
};

template <class Inspector>
auto inspect(Inspector& f, list_sessions& x) {
  return f(caf::meta::type_name("troupe::list_sessions"), x.session_id);
}

struct session_list {
  std::vector<session_summary> sessions;
};

template <class Inspector>
auto inspect(Inspector& f, session_list& x) {
  return f(caf::meta::type_name("troupe::session_list"), x.sessions);
}

/// Removes a session from the store; answered with how many went.
struct erase_session {
  session_key key;
};

template <class Inspector>
auto inspect(Inspector& f, erase_session& x) {
  return f(caf::meta::type_name("troupe::erase_session"), x.key);
}

struct erased_sessions {
  uint64_t count = 0;
};

template <class Inspector>
auto inspect(Inspector& f, erased_sessions& x) {
  return f(caf::meta::type_name("troupe::erased_sessions"), x.count);
}

} // namespace troupe
