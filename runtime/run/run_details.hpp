#pragma once

#include "troupe/runtime/messages/run_messages.hpp"
#include "troupe/storage/run_records.hpp"

#include "caf/expected.hpp"

#include <string>

namespace troupe {

/// What is stored of a run in its head beside what a store can search for: the
/// order it was given, and what has become of it.
struct run_details {
  run_request request;
  /// Without what stands in the head: id, kind, name, status, session, times
  /// of creation.
  run_object object;
};

/// The stored form, for `run_head::details`.
std::string encode_details(const run_request& request,
                           const run_object& object);

/// The run of a stored head; `errc::storage` where its details are damaged.
caf::expected<run_details> decode_details(const run_head& head);

} // namespace troupe
