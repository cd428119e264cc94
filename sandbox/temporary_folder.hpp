#pragma once

#include "troupe/sandbox/unique_fd.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <string>

namespace troupe {

/// A folder of this process that only this user can enter, and that is removed
/// with everything in it: by `remove`, by the destructor, or, when neither got
/// to run, by whoever makes the next one. See owner_record.hpp.
class temporary_folder {
public:
  /// Removes what processes that are gone have left, then makes one in the
  /// folder for temporary files. Errors: sandbox.
  static caf::expected<temporary_folder> make();

  temporary_folder(temporary_folder&&) noexcept = default;
  temporary_folder& operator=(temporary_folder&&) = delete;

  ~temporary_folder();

  /// Absolute; links resolved.
  const std::string& path() const noexcept {
    return path_;
  }

  /// Removes it. Idempotent. What its name means by now is only removed where
  /// that is still this folder. Errors: sandbox.
  caf::error remove();

private:
  temporary_folder() = default;

  std::string path_;
  unique_fd directory_;
  /// Empty: there is no place for one.
  std::string record_;
};

} // namespace troupe
