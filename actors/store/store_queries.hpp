#pragma once

#include "troupe/runtime/messages/done.hpp"
#include "troupe/runtime/messages/run_messages.hpp"
#include "troupe/runtime/messages/session_messages.hpp"
#include "troupe/runtime/messages/store_messages.hpp"
#include "troupe/storage/store.hpp"

#include "caf/result.hpp"

namespace troupe {

// What the store's actor answers, each from one call of its store.

caf::result<stored_session> answer_query(store& disk, const load_session& x);
caf::result<session_list> answer_query(store& disk, const list_sessions& x);
caf::result<erased_sessions> answer_query(store& disk, const erase_session& x);
caf::result<done> answer_query(store& disk, const fork_session& x);
caf::result<run_list> answer_query(store& disk, const find_run& x);
caf::result<run_list> answer_query(store& disk, const list_runs& x);
caf::result<run_event_batch> answer_query(store& disk,
                                          const load_run_events& x);
caf::result<run_value_list> answer_query(store& disk, const load_run_values& x);
caf::result<artifact_list> answer_query(store& disk,
                                        const load_run_artifacts& x);
caf::result<erased_sessions> answer_query(store& disk, const erase_run& x);
caf::result<run_list> answer_query(store& disk, const acquire_run& x);
caf::result<run_id_list> answer_query(store& disk, const renew_leases& x);
caf::result<run_id_list> answer_query(store& disk, const reconcile_runs& x);
caf::result<run_list> answer_query(store& disk, const request_run_cancel& x);
caf::result<run_id_list> answer_query(store& disk,
                                      const find_cancel_requests& x);

} // namespace troupe
