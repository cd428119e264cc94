#pragma once

#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/storage/store.hpp"

#include "caf/response_promise.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// The one owner of a store. Commits are collected and made together: all that
/// arrive while one is on its way to the disk go into the next, so the cost of
/// durability is shared by those who wait.
struct store_state {
  static inline const char* name = "store";

  store_state() = default;
  store_state(const store_state&) = delete;
  store_state& operator=(const store_state&) = delete;

  /// Commits what has arrived and answers who waits.
  ~store_state();

  std::unique_ptr<store> disk;
  std::vector<store_commit> batch;
  std::vector<caf::response_promise> waiting;
  /// Who waits for which run, beside `waiting`.
  std::vector<shared<run_key>> waiting_for;
  /// Commits that could not be made, until their owner syncs.
  std::vector<std::pair<shared<run_key>, caf::error>> failed;
  /// Whose commits lie in `batch`, beside it.
  std::vector<shared<run_key>> owners;
  /// Runs of which a commit could not be made, and why, until their ends.
  std::vector<std::pair<shared<run_key>, caf::error>> lost;
  bool flush_is_due = false;
};

using store_ptr = store_actor::stateful_pointer<store_state>;

/// Makes what has been collected permanent. A failure is its owner's.
void commit_batch(store_state& state);

/// Spawn it detached where the store is on a disk: its calls block.
store_actor::behavior_type
store_behavior(store_ptr self, std::shared_ptr<std::unique_ptr<store>> disk);

} // namespace troupe
