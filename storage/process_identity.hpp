#pragma once

#include <string>

namespace troupe {

/// Names this process among all that ever ran: "BOOT/NAMESPACES/PID/START", of
/// the boot of this machine, the namespaces that ids and times are of, its id
/// and the clock tick in which it started. An id alone comes again; this does
/// not. What cannot be read is "?": then nobody can tell that it is gone. Any
/// thread may call it; a child made by `fork` is another process.
std::string this_process();

/// Whether the process that `owner` names is gone for sure. `owner` is what
/// `this_process` gave there, and may go on with "/" and anything. False when
/// it runs, when it is of another machine, boot or container, or when it cannot
/// be told: then only the lease counts. Any thread may call it.
bool is_process_gone(const std::string& owner);

} // namespace troupe
