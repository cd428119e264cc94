#pragma once

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/process_runner.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::test {

/// Whether `condition` comes true within a generous time.
bool eventually(const std::function<bool()>& condition);

/// Whether a process is gone; a zombie that nobody has reaped yet is.
bool is_gone(pid_t pid);

/// The ids that commands wrote into `file`, one a line.
std::vector<pid_t> read_pids(const temp_dir& dir, const std::string& file);

/// A shell command with an environment that finds programs.
process_spec shell(const std::string& script, const temp_dir& dir);

/// Runs a command to its end.
caf::expected<process_result> run(process_runner& runner, process_spec spec);

/// A runner of its own.
std::shared_ptr<process_runner> make_runner();

} // namespace troupe::test
