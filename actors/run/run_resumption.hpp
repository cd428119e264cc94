#pragma once

#include "troupe/actors/run/run_registry.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

// What the registry does with runs that live in the store.

/// Stores a run for a worker to take.
co::task<run_object> put_off(registry_ptr self, queue_run order);

/// Takes up a stored run, here or later. Throws `co::failure`, and leaves the
/// run as it was, where it is over, somebody else's, or not what the order
/// takes it for.
co::task<run_handle> resume(registry_ptr self, resume_run order);

/// Ends a stored run as cancelled, or has its owner do it.
co::task<run_object> cancel_stored(registry_ptr self, cancel_stored_run order);

} // namespace troupe
