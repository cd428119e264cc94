// troupe-warden: runs one command and owns everything that comes of it.
//
// It is the subreaper of its descendants, so whatever a command starts, and
// however it detaches it, becomes a child of the warden once its parent has
// ended. The warden is done when it has no child left, and reports only then.
// When its owner dies, the socket closes and the warden kills what is there.

#include "troupe/sandbox/warden/overseer.hpp"

#include <sys/syscall.h>
#include <unistd.h>

using namespace troupe::warden;

int main() {
  // Nothing of what the owner had open is ours.
  ::syscall(SYS_close_range, control_fd + 1, ~0U, 0);
  ::_exit(serve_command(get_ready(), {}, 0) ? 0 : 1);
}
