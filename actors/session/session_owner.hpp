#pragma once

#include "troupe/actors/session/session.hpp"
#include "troupe/runtime/co/task.hpp"

#include <string>

namespace troupe {

/// Waits until the conversation of `self` may be asked for again, which belongs
/// to `run_id` by the store: a run of another process, or one that is not over.
/// One whose process has ended is ended as failed, since its conversation goes
/// on without it. Throws `co::failure` where the run waits for a person: what
/// was said meanwhile must not decide about it.
co::task<void> await_release(session_ptr self, std::string run_id);

} // namespace troupe
