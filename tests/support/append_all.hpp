#pragma once

#include "troupe/storage/store.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace troupe::test {

/// Appends to conversations that no run has, as entries of one commit, and
/// numbers the records of `batch`.
inline caf::error append_all(store& store, std::vector<session_append>& batch) {
  auto entries = std::vector<store_commit>(batch.size());
  for (size_t i = 0; i < batch.size(); ++i)
    entries[i].sessions.push_back(batch[i]);
  auto why = store.commit(entries);
  for (size_t i = 0; i < batch.size(); ++i)
    batch[i] = std::move(entries[i].sessions[0]);
  return why;
}

} // namespace troupe::test
