#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/file_space.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/remote/remote_calls.hpp"

#include "caf/expected.hpp"

#include <memory>

namespace troupe {

/// Whether a remote sandbox can do what the policy says: there is one path,
/// "root", that tools and commands may both write, no network rule, since what
/// its network is nobody here can know, and of the limits `wall`, `output` and
/// those of files. Error: policy.
caf::error check_remote(const sandbox_settings& policy);

/// The files of a remote sandbox, with the limits of the policy. Error: policy.
caf::expected<std::unique_ptr<file_space>>
make_remote_file_space(std::shared_ptr<remote_calls> calls,
                       const sandbox_settings& policy);

/// What is run there for a request. Errors: tool (the directory).
caf::expected<process_spec> plan_remote(const process_request& request,
                                        const sandbox_settings& policy);

/// Runs commands in a remote sandbox, planned by `plan_remote`. Their limits
/// are its own, but time and output. There are no streams, no terminals and no
/// signals: what is asked with them is refused, and `signal` does nothing. One
/// that does not come back in time is reported as an error of kind sandbox.
/// Without a `thread` it has one of its own. Error: sandbox.
caf::expected<std::shared_ptr<process_runner>>
make_remote_runner(std::shared_ptr<process_thread> thread,
                   std::shared_ptr<remote_calls> calls);

} // namespace troupe
