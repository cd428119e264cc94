#pragma once

#include <string>

namespace troupe {

/// Names this process so that no other, before or after, has the same name.
std::string process_identity();

/// Whether the process that `owner` names is known to be gone; false where it
/// is another host's.
bool is_process_gone(const std::string& owner);

} // namespace troupe
