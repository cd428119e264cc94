#pragma once

#include "troupe/runtime/messages/run_messages.hpp"
#include "troupe/storage/run_records.hpp"

#include "caf/expected.hpp"

namespace troupe {

/// The stored form of an event. What its message says is left to the record of
/// the conversation that holds it.
event_record make_event_record(const run_event& event);

/// The event of a record, without what its message says; `errc::storage` where
/// it is damaged.
caf::expected<run_event> read_event(const event_record& record);

/// Adds to an event with a `record` what the message in it says.
void fill_event(run_event& event, const chat_message& message);

} // namespace troupe
