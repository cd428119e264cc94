#pragma once

namespace troupe::bench {

/// Processor time that this process has used so far, in all its threads.
double cpu_seconds();

/// Memory that this process uses, in bytes.
struct memory_use {
  /// Resident pages that no file backs. Moves in steps, and keeps what the
  /// allocator cannot give back.
  double resident = 0;
  /// What the allocator has handed out: the steadier figure.
  double allocated = 0;
};

/// After giving back to the system what can be, once threads of this process
/// no longer allocate.
memory_use settled_memory();

} // namespace troupe::bench
