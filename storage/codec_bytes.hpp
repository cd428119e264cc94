#pragma once

#include "troupe/storage/big_endian.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

// What the codecs of all tables share.

/// The longest text that a head of a session or run holds, in bytes.
constexpr size_t longest_text = size_t{64} << 10;

/// The error for bytes that nobody writes.
caf::error damaged(const std::string& what);

/// An error unless `bytes` begin with the version `known` of `what`.
caf::error check_version(std::string_view bytes, char known,
                         const std::string& what);

/// Writes `bytes` as they are; the end of what was written.
inline char* put_bytes(char* out, std::string_view bytes) {
  return std::copy(bytes.begin(), bytes.end(), out);
}

/// Writes a signed number in two's complement.
inline char* put_signed(char* out, int64_t value) {
  return put_big_endian(out, static_cast<uint64_t>(value));
}

inline int64_t get_signed(const char* in) {
  return static_cast<int64_t>(get_big_endian<uint64_t>(in));
}

/// How many bytes `put_text` takes.
inline size_t text_size(std::string_view text) {
  return sizeof(uint32_t) + text.size();
}

/// Writes the length and then the bytes.
inline char* put_text(char* out, std::string_view text) {
  return put_bytes(put_big_endian(out, static_cast<uint32_t>(text.size())),
                   text);
}

/// Takes what `put_text` wrote off the front of `bytes`; false where they are
/// too few for what they promise, or it is over `longest_text`.
bool take_text(std::string_view& bytes, std::string_view& text);

/// The one number that `bytes` are.
caf::expected<uint64_t> read_number(std::string_view bytes,
                                    const std::string& what);

} // namespace troupe
