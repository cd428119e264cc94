#pragma once

#include <string>

namespace troupe {

// What this process makes and a SIGKILL would leave behind (cgroups, temporary
// folders, containers) carries its owner: in a label, or in the name of a
// record, an entry in a folder that only this user can write. What is left
// behind is swept for its label or record, never for a name of its own.

/// This process, as no other is or was: "PID.START.PID-NAMESPACE.BOOT". Empty
/// where /proc cannot be read.
std::string this_owner();

/// Whether that process is gone. False for owners in other PID namespaces,
/// which cannot be seen from here, and for what is no owner.
bool is_gone_owner(const std::string& owner);

/// A name for a thing of this process that nobody else has.
std::string make_owned_name();

/// Whether `name` is such a name, of a process that is gone.
bool is_left_behind(const std::string& name);

/// The folder of the records of one kind, such as "cgroups":
/// `$XDG_RUNTIME_DIR/troupe-KIND`, or `/tmp/troupe-KIND-UID`. Empty: there is
/// no place that only this user can write.
std::string owner_record_folder(const std::string& kind);

} // namespace troupe
