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

/// Frees what hashing keeps for the calling thread. For the end of a thread
/// that nobody joins: it would otherwise do so while the process takes the
/// library down. The thread may hash again.
void release_hashing_thread() noexcept;

/// `digest` as bytes that stay valid as long as it does.
inline std::string_view as_bytes(const sha256_digest& digest) {
  return {digest.data(), digest.size()};
}

} // namespace troupe
