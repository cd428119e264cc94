#include "troupe/runtime/messages/supervise_messages.hpp"

namespace troupe {

std::string to_string(child_state x) {
  switch (x) {
    case child_state::starting:
      return "starting";
    case child_state::running:
      return "running";
    case child_state::stopping:
      return "stopping";
    case child_state::restarting:
      return "restarting";
    default:
      return "failed";
  }
}

} // namespace troupe
