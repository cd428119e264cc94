#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/sandbox_requests.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// The files a run may touch: the tools' view of a sandbox. Calls block (a
/// disk) and may come from any thread, one at a time for one object. Failures
/// that a model may mend are errors of kind `tool`; their message is the
/// sentence it reads. What a policy forbids is `policy`.
class file_space {
public:
  file_space() = default;
  file_space(const file_space&) = delete;
  file_space& operator=(const file_space&) = delete;
  virtual ~file_space();

  virtual caf::expected<read_file_result> read(const read_file_request& x) = 0;
  virtual caf::expected<list_files_result> list(const list_files_request& x)
    = 0;
  virtual caf::expected<glob_result> glob(const glob_request& x) = 0;
  virtual caf::expected<grep_result> grep(const grep_request& x) = 0;
  virtual caf::expected<write_file_result> write(const write_file_request& x)
    = 0;
  virtual caf::expected<replace_in_file_result>
  replace(const replace_in_file_request& x) = 0;
};

class memory_tree;
class workspace;

/// Files in memory, gone with the object: the virtual sandbox. Overwriting
/// asks for no earlier read. `artifacts`, where it is not null, can be read as
/// "workspace://artifacts".
std::unique_ptr<file_space>
make_memory_file_space(sandbox_limits limits,
                       std::shared_ptr<memory_tree> artifacts = nullptr);

/// The files of a workspace on disk, reached beneath its directory
/// descriptors and never through a link. Where one named path lies within
/// another, the more restrictive access counts; what is a runtime path is
/// closed.
/// Error: configuration (`policy.files` names what the workspace lacks).
caf::expected<std::unique_ptr<file_space>>
make_disk_file_space(std::shared_ptr<const workspace> where,
                     const sandbox_settings& policy);

} // namespace troupe
