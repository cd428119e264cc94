#pragma once

#include "troupe/actors/supervise/supervisor.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// Describes `children` of `self` in order, and beneath those that are
/// supervisors what they say. Whoever does not answer within `limit` is
/// described as far as can be seen from outside.
co::task<child_list>
list_tree(supervisor_actor::stateful_pointer<supervisor_state> self,
          std::vector<child_ptr> children, caf::timespan limit);

} // namespace troupe
