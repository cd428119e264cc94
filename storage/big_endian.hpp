#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

/// Writes `value` at `out`, highest byte first, so that the order of the
/// bytes is the order of the numbers; the end of what was written.
template <class UInt>
char* put_big_endian(char* out, UInt value) {
  for (auto i = sizeof(UInt); i-- > 0;)
    *out++ = static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  return out;
}

/// Reads what `put_big_endian` wrote at `in`.
template <class UInt>
UInt get_big_endian(const char* in) {
  auto result = UInt{0};
  for (size_t i = 0; i < sizeof(UInt); ++i)
    result
      = static_cast<UInt>((result << 8) | static_cast<unsigned char>(*in++));
  return result;
}

} // namespace troupe
