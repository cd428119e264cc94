#pragma once

#include "caf/error.hpp"

#include <string>
#include <string_view>

namespace troupe {

// Names that a workflow gives to what it stores. All are checked before
// anything is done under them; an error is `errc::configuration`.

/// Whether `name` may be that of a checkpoint, a resume key and the like, which
/// `what` says: 1 to 200 bytes of printable UTF-8 without "/" and "#", which
/// runs use themselves, and not beginning with "troupe.", which is reserved.
caf::error check_name(std::string_view what, const std::string& name);

/// Whether `name` may be the type of an event: as `check_name`, and none of
/// the types that runs have themselves.
caf::error check_event_name(const std::string& name);

/// Whether `name` may be that of an artifact: 1 to 200 bytes of printable
/// UTF-8, a relative path that leads nowhere else.
caf::error check_artifact_name(const std::string& name);

} // namespace troupe
