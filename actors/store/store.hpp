#pragma once

#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/storage/store.hpp"

#include "caf/response_promise.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace troupe {

/// The one owner of a store. Appends are collected and committed
/// together: all that arrive while one commit is on its way to the disk go
/// into the next, so the cost of durability is shared by those who wait.
struct store_state {
  static inline const char* name = "store";

  store_state() = default;
  store_state(const store_state&) = delete;
  store_state& operator=(const store_state&) = delete;

  /// Commits what has arrived and answers who waits.
  ~store_state();

  std::unique_ptr<store> sessions;
  std::vector<store_commit> batch;
  std::vector<caf::response_promise> waiting;
  /// Who waits for which key, beside `waiting`.
  std::vector<session_key> waiting_for;
  /// Appends that could not be stored, until their owner syncs.
  std::vector<std::pair<session_key, caf::error>> failed;
  bool flush_is_due = false;
};

/// Spawn it detached where the store is on a disk: its calls block.
store_actor::behavior_type
store_behavior(store_actor::stateful_pointer<store_state> self,
               std::shared_ptr<std::unique_ptr<store>> sessions);

} // namespace troupe
