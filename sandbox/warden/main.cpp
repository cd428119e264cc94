// troupe-warden: runs one command and owns everything that comes of it.
//
// It is the subreaper of its descendants, so whatever a command starts, and
// however it detaches it, becomes a child of the warden once its parent has
// ended. The warden is done when it has no child left, and reports only then.
// When its owner dies, the socket closes and the warden kills what is there.

#include "troupe/sandbox/warden/overseer.hpp"

#include <unistd.h>

int main() {
  ::_exit(troupe::warden::serve_command(nullptr, nullptr));
}
