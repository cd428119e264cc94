#include "troupe/storage/codec_bytes.hpp"

#include "troupe/config/errc.hpp"

namespace troupe {

caf::error damaged(const std::string& what) {
  return make_error(errc::storage, what + " in the store is damaged", {},
                    "restore the store from a backup");
}

caf::error check_version(std::string_view bytes, char known,
                         const std::string& what) {
  if (!bytes.empty() && bytes[0] == known)
    return {};
  // Zero is what a page holds that was never written.
  if (bytes.empty() || bytes[0] == 0)
    return damaged(what);
  auto found = std::to_string(static_cast<unsigned char>(bytes[0]));
  return make_error(errc::storage,
                    what + " has version " + found + ", this troupe knows "
                      + std::to_string(known),
                    {}, "use the troupe that wrote the store");
}

bool take_text(std::string_view& bytes, std::string_view& text) {
  if (bytes.size() < sizeof(uint32_t))
    return false;
  auto length = get_big_endian<uint32_t>(bytes.data());
  bytes.remove_prefix(sizeof(uint32_t));
  if (length > longest_text || length > bytes.size())
    return false;
  text = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return true;
}

caf::expected<uint64_t> read_number(std::string_view bytes,
                                    const std::string& what) {
  if (bytes.size() != sizeof(uint64_t))
    return damaged(what);
  return get_big_endian<uint64_t>(bytes.data());
}

} // namespace troupe
