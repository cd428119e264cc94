#pragma once

#include "troupe/sandbox/init/mounts.hpp"
#include "troupe/sandbox/init/protocol.hpp"

#include <cstring>
#include <utility>
#include <vector>

namespace troupe::init {

/// Steps through a setup packet; texts end in NUL, or it is no packet.
class setup_reader {
public:
  /// False when it is too short for a header.
  bool open(std::vector<char> packet) {
    packet_ = std::move(packet);
    at_ = 0;
    return take(&header_, sizeof header_);
  }

  const setup& header() const {
    return header_;
  }

  /// Reads the next step, whose texts live as long as this; false when it is
  /// none.
  bool next(mount_step& to) {
    return take(&to.what, sizeof to.what)
           && take_text(to.path, to.what.path_size)
           && take_text(to.text, to.what.text_size);
  }

private:
  bool take(void* to, size_t size) {
    if (packet_.size() - at_ < size)
      return false;
    std::memcpy(to, packet_.data() + at_, size);
    at_ += size;
    return true;
  }

  bool take_text(const char*& to, size_t size) {
    if (size == 0 || packet_.size() - at_ < size
        || packet_[at_ + size - 1] != '\0')
      return false;
    to = packet_.data() + at_;
    at_ += size;
    return true;
  }

  setup header_;
  std::vector<char> packet_;
  size_t at_ = 0;
};

} // namespace troupe::init
