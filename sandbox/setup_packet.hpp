#pragma once

#include "troupe/sandbox/init/protocol.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Writes what a sandbox's init is to do, step by step.
class setup_packet {
public:
  void allow_unix_sockets();

  /// Commands offer themselves when memory runs out.
  void kill_commands_first();

  /// Has the init look after the limits: `memory` in bytes, and `tasks`.
  void watch_limits(uint64_t memory, uint32_t tasks);

  void add(init::step_kind kind, const std::string& path,
           const std::string& text = {}, uint64_t a = 0, uint64_t b = 0,
           uint32_t flags = 0);

  /// The packet as it travels.
  std::vector<char> bytes() const;

private:
  init::setup header_;
  std::vector<char> steps_;
};

} // namespace troupe
