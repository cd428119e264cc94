#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/file_space.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/process_thread.hpp"

#include "caf/expected.hpp"

#include <memory>

namespace troupe {

/// The files and the commands of one remote sandbox. The last of the two has
/// its client closed when it goes, which blocks.
struct remote_sandbox {
  std::unique_ptr<file_space> files;
  std::shared_ptr<process_runner> commands;
};

/// Speaks with what `policy.remote` names, over lines or HTTP. Nothing is sent
/// before the first call. Errors: policy (what a remote sandbox cannot do),
/// configuration (the URL, a header), sandbox.
caf::expected<remote_sandbox>
open_remote_sandbox(std::shared_ptr<process_thread> thread,
                    const sandbox_settings& policy);

} // namespace troupe
