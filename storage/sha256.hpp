#pragma once

#include "caf/expected.hpp"

#include <array>
#include <string_view>

namespace troupe {

/// The 32 bytes of a SHA-256.
using sha256_digest = std::array<char, 32>;

/// The SHA-256 of `bytes`; an error only where the cryptographic library
/// offers none. Any thread may call it.
caf::expected<sha256_digest> sha256(std::string_view bytes);

/// `digest` as bytes that stay valid as long as it does.
inline std::string_view as_bytes(const sha256_digest& digest) {
  return {digest.data(), digest.size()};
}

} // namespace troupe
