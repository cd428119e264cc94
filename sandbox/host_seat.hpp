#pragma once

#include "troupe/sandbox/warden_seat.hpp"

#include <memory>
#include <string>

namespace troupe {

/// Wardens on this host, started without copying this process's page tables.
/// `warden` is the path of their program.
std::shared_ptr<warden_seat> make_host_seat(std::string warden);

/// One of our helper programs: where it was installed beside the running
/// program, or in its folder. Error: sandbox.
caf::expected<std::string> find_helper(const std::string& name);

} // namespace troupe
