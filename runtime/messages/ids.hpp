#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// Makes identifiers that sort by the time they were made: UUID version 7 of
/// RFC 9562. One owner, one thread; two makers never give the same id.
class id_maker {
public:
  /// Seeds itself from the system's randomness.
  id_maker();

  /// A new id made at `micros` (since the epoch).
  std::string next(int64_t micros);

private:
  uint64_t random();

  uint64_t state_[2];
};

} // namespace troupe
