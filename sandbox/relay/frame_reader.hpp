#pragma once

#include "troupe/sandbox/relay/protocol.hpp"

#include <cstddef>
#include <cstring>
#include <string>

namespace troupe::relay {

/// Cuts what comes over a stream into frames.
class frame_reader {
public:
  /// Calls `take(frame, payload)` for each frame that `bytes` complete; false
  /// when they are none, or `take` wants no more.
  template <class Take>
  bool feed(const char* bytes, size_t size, Take take) {
    bytes_.append(bytes, size);
    auto at = size_t{0};
    auto what = frame{};
    while (bytes_.size() - at >= sizeof what) {
      std::memcpy(&what, bytes_.data() + at, sizeof what);
      if (what.size > max_payload)
        return false;
      if (bytes_.size() - at - sizeof what < what.size)
        break;
      at += sizeof what;
      if (!take(what, bytes_.data() + at))
        return false;
      at += what.size;
    }
    bytes_.erase(0, at);
    return true;
  }

private:
  std::string bytes_;
};

} // namespace troupe::relay
