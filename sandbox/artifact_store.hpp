#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/sandbox_requests.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

class memory_tree;

/// Where the files of one operation go: all of them, or none.
class artifact_place {
public:
  artifact_place() = default;
  artifact_place(const artifact_place&) = delete;
  artifact_place& operator=(const artifact_place&) = delete;
  virtual ~artifact_place();

  /// Makes `folder` with these files in it. `errc::tool` with nothing changed
  /// where there is something of that name.
  virtual caf::error
  put(const std::string& folder, const std::vector<artifact_file>& files)
    = 0;
};

/// What a run stores for later steps and for people: files that tools and
/// models produced, each operation in a folder of its own beneath the named
/// path `artifacts`. Nothing that is there is ever changed. Calls block (a
/// disk), one at a time.
class artifact_store {
public:
  artifact_store(std::unique_ptr<artifact_place> place, artifact_limits limits);

  /// Stores the files of one operation. Errors, with nothing stored: tool (a
  /// name), limit (one file, this message or this run has too much), sandbox
  /// (the disk).
  caf::expected<stored_artifacts> store(const store_artifacts& x);

private:
  caf::error check(const store_artifacts& x) const;

  std::unique_ptr<artifact_place> place_;
  artifact_limits limits_;
  /// Of the names of this store's folders.
  std::string prefix_;
  uint64_t operations_ = 0;
  uint64_t files_ = 0;
  uint64_t bytes_ = 0;
  /// Bytes of each message that has a name; no more than there may be files.
  std::map<std::string, uint64_t> messages_;
};

/// In `directory`, which stays open as long as the store: files that only this
/// user can read (0600, their folders 0700), safe on the disk when they are
/// told of. What a process that was killed left half done is removed.
std::unique_ptr<artifact_place> make_disk_artifacts(int directory);

/// In memory, for as long as somebody has the tree.
std::unique_ptr<artifact_place>
make_memory_artifacts(std::shared_ptr<memory_tree> files);

} // namespace troupe
