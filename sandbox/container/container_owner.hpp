#pragma once

#include "troupe/sandbox/container/engine.hpp"

#include "caf/expected.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <string>

namespace troupe {

/// Names this process for as long as its host runs: its id and start, its PID
/// namespace, and the boot. Empty where /proc does not tell.
std::string owner_of_containers();

/// Whether the process that an owner's name names is known to be gone. One of
/// another PID namespace is not known, and neither is what makes no sense.
bool is_gone_owner(const std::string& name);

/// Removes, by their ids, the containers whose owner is gone: what a crash has
/// left. `done` gets how many, or an error of kind sandbox.
void sweep_containers(boost::asio::io_context& loop,
                      const container_engine& engine,
                      std::function<void(caf::expected<size_t>)> done);

/// The ids among an engine's answer, one a line. Error: sandbox (something else
/// is there).
caf::expected<std::vector<std::string>> ids_in(const std::string& answer);

/// The words that remove a container, with all that runs in it.
std::vector<std::string> removal_of(const container_engine& engine,
                                    const std::string& id);

} // namespace troupe
