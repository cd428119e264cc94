#pragma once

#include "troupe/sandbox/container/engine.hpp"

#include "caf/expected.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <string>

namespace troupe {

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
