#pragma once

#include "troupe/runtime/messages/run_messages.hpp"
#include "troupe/runtime/messages/session_messages.hpp"
#include "troupe/storage/store.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// A conversation as a run goes on with it. Reads from the last summary on, and
/// the bytes of as many blocks as a request has: a log of any length costs what
/// is sent to the model.
caf::expected<stored_session> read_session(store& disk, const session_key& key);

/// Removes a conversation; how many there were (0 or 1). An error where a run
/// that goes on, or waits for a person, needs it.
caf::expected<uint64_t> erase_free_session(store& disk, const session_key& key);

/// All messages of a conversation, those that a summary stands for included,
/// repaired where a crash left it open; their blocks without bytes.
caf::expected<std::vector<chat_message_ptr>>
read_whole_session(store& disk, const session_key& key);

/// Events of a run with `after` < seq, at most `max`, whole: what their
/// messages say is read from the conversation, and empty where that was
/// deleted.
caf::expected<std::vector<run_event>> read_events(store& disk,
                                                  const std::string& run_id,
                                                  uint64_t after, uint64_t max);

} // namespace troupe
