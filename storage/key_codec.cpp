#include "troupe/storage/key_codec.hpp"

#include "troupe/storage/big_endian.hpp"
#include "troupe/storage/sha256.hpp"

#include <algorithm>

namespace troupe {

namespace {

// On disk: never change. A part begins with what it is.
constexpr char literal_part = 1;
constexpr char hashed_part = 2;

// Three of these fit into a key.
constexpr size_t longest_part = 160;

// A zero byte becomes 00 FF and the end 00 01, so that a part ends before
// every longer one that begins with it, whatever its bytes.
constexpr auto escaped_zero = std::string_view{"\0\xff", 2};
constexpr auto end_of_part = std::string_view{"\0\1", 2};

size_t literal_size(std::string_view part) {
  auto zeros = std::count(part.begin(), part.end(), '\0');
  return part.size() + static_cast<size_t>(zeros) + 3;
}

void append_literal(key_bytes& result, std::string_view part) {
  result.append(std::string_view{&literal_part, 1});
  for (;;) {
    auto zero = part.find('\0');
    result.append(part.substr(0, zero));
    if (zero == std::string_view::npos)
      break;
    result.append(escaped_zero);
    part.remove_prefix(zero + 1);
  }
  result.append(end_of_part);
}

caf::error append_part(key_bytes& result, std::string_view part) {
  if (part.size() <= longest_part && literal_size(part) <= longest_part) {
    append_literal(result, part);
    return {};
  }
  auto digest = sha256(part);
  if (!digest)
    return digest.error();
  result.append(std::string_view{&hashed_part, 1});
  result.append(as_bytes(*digest));
  return {};
}

} // namespace

void key_bytes::append(std::string_view bytes) noexcept {
  auto count = std::min(bytes.size(), bytes_.size() - size_);
  std::copy_n(bytes.data(), count, bytes_.data() + size_);
  size_ += count;
}

void key_bytes::append(uint64_t number) noexcept {
  auto bytes = std::array<char, 8>{};
  put_big_endian(bytes.data(), number);
  append(std::string_view{bytes.data(), bytes.size()});
}

key_bytes record_key(uint64_t number, uint64_t seq) {
  auto result = key_bytes{};
  result.append(number);
  result.append(seq);
  return result;
}

caf::expected<key_bytes> session_table_key(const session_key& key) {
  auto result = key_bytes{};
  for (const auto* part : {&key.session_id, &key.agent, &key.actor_id})
    if (auto why = append_part(result, *part))
      return why;
  return result;
}

caf::expected<key_bytes> session_table_prefix(const std::string& session_id) {
  auto result = key_bytes{};
  if (auto why = append_part(result, session_id))
    return why;
  return result;
}

} // namespace troupe
