#pragma once

#include "troupe/actors/app/options.hpp"
#include "troupe/actors/runtime.hpp"
#include "troupe/config/load_settings.hpp"

#include "caf/expected.hpp"

namespace troupe::app {

/// The settings that the command line, files and the environment give.
caf::expected<loaded_settings> settings_for(const options& x);

/// What `run` and `chat` start: a runtime with the agent that was named, and
/// the request without its prompt.
struct run_setup {
  runtime_options runtime;
  run_request request;
};

caf::expected<run_setup> setup_for(const options& x);

/// A runtime without an agent of its own: those of the configuration.
caf::expected<runtime_options> runtime_setup_for(const options& x);

/// The program's working directory.
std::string working_directory();

} // namespace troupe::app
