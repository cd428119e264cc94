#include "troupe/storage/store_header.hpp"

#include "troupe/config/errc.hpp"

#include <cstring>
#include <string>

namespace troupe {

namespace {

// Where the fields lie in what a 64-bit LMDB writes, in the machine's order.
constexpr size_t flags_at = 10;
constexpr size_t magic_at = 16;
constexpr size_t format_at = 20;
constexpr size_t page_size_at = 40;
constexpr size_t last_page_at = 136;
constexpr size_t transaction_at = 144;

static_assert(sizeof(size_t) == 8, "the layout above is that of 64 bits");

constexpr uint16_t header_flag = 8;
constexpr uint32_t magic = 0xBEEFC0DE;
constexpr uint32_t known_format = 1;
constexpr uint64_t smallest_page = 256;
constexpr uint64_t largest_page = 65536;

template <class T>
T field(const std::array<char, header_bytes>& page, size_t offset) {
  auto result = T{};
  std::memcpy(&result, page.data() + offset, sizeof(result));
  return result;
}

bool is_page_size(uint64_t x) {
  return x >= smallest_page && x <= largest_page && (x & (x - 1)) == 0;
}

} // namespace

caf::expected<store_header>
parse_header(const std::array<char, header_bytes>& page) {
  if (field<uint32_t>(page, magic_at) != magic
      || (field<uint16_t>(page, flags_at) & header_flag) == 0)
    return make_error(errc::storage, "the file is not a store", {},
                      "choose another folder with --store DIR");
  auto format = field<uint32_t>(page, format_at);
  if (format != known_format)
    return make_error(errc::storage,
                      "the store has LMDB's format " + std::to_string(format)
                        + ", this troupe reads " + std::to_string(known_format),
                      {}, "open it with the troupe that wrote it");
  auto result = store_header{};
  result.page_size = field<uint32_t>(page, page_size_at);
  result.last_page = field<uint64_t>(page, last_page_at);
  result.transaction = field<uint64_t>(page, transaction_at);
  // LMDB divides by the size, and multiplies by the number, unchecked.
  if (!is_page_size(result.page_size) || result.last_page >> 47 != 0)
    return make_error(errc::storage, "the store's header is damaged", {},
                      "restore the store from a backup");
  return result;
}

} // namespace troupe
