#pragma once

#include "caf/expected.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace troupe {

/// How many bytes of a page LMDB's header takes.
constexpr size_t header_bytes = 152;

/// What the header of a store file promises.
struct store_header {
  /// In bytes, a power of two; 0 where the file is new.
  uint64_t page_size = 0;
  /// The number of the last page that was ever given out.
  uint64_t last_page = 0;
  /// The transaction that wrote it.
  uint64_t transaction = 0;
};

/// Reads one of the two headers, in pages 0 and 1, of which that of the later
/// transaction counts. An error that says what is wrong where the file is not
/// LMDB's or of another format, or LMDB would trip over the header.
caf::expected<store_header>
parse_header(const std::array<char, header_bytes>& page);

} // namespace troupe
