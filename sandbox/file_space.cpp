#include "troupe/sandbox/file_space.hpp"

namespace troupe {

file_space::~file_space() {
  // nop
}

} // namespace troupe
