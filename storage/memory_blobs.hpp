#pragma once

#include "troupe/storage/run_records.hpp"
#include "troupe/storage/session_records.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe {

/// The blobs of a store in memory, once by content: records share them, and
/// they go with the last record. Belongs to the store.
class memory_blobs {
public:
  /// Makes the blobs of all records and values of `batch` those that are here
  /// already, where they are. On an error nothing has changed.
  caf::error share(std::vector<store_commit>& batch);

  /// The bytes of a blob; null where no record has it any more.
  std::shared_ptr<const std::string> find(const stored_blob& blob) const;

private:
  caf::error share(std::vector<stored_blob>& blobs);
  void forget_gone();

  std::unordered_map<std::string, std::weak_ptr<const std::string>> known_;
  /// As many are known when it is time to look for those that are gone.
  size_t next_look_ = 64;
};

/// What a caller is given of a record's blobs.
void drop_bytes(std::vector<stored_blob>& blobs);

} // namespace troupe
