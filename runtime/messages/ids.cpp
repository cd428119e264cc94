#include "troupe/runtime/messages/ids.hpp"

#include <bit>
#include <random>

namespace troupe {

id_maker::id_maker() {
  auto source = std::random_device{};
  for (auto& word : state_)
    word = uint64_t{source()} << 32 | source();
  state_[0] |= 1; // never all zero
}

// xoroshiro128+ (Blackman, Vigna): ids need to be different, not secret.
uint64_t id_maker::random() {
  auto a = state_[0];
  auto b = state_[1];
  auto result = a + b;
  b ^= a;
  state_[0] = std::rotl(a, 24) ^ b ^ (b << 16);
  state_[1] = std::rotl(b, 37);
  return result;
}

std::string id_maker::next(int64_t micros) {
  auto millis = static_cast<uint64_t>(micros / 1000);
  // rand_a holds the fraction of the millisecond (RFC 9562, 6.2, method 3).
  auto fraction = static_cast<uint64_t>(micros % 1000) * 4096 / 1000;
  auto high = millis << 16 | 0x7000 | fraction;
  auto low = (random() & 0x3FFFFFFFFFFFFFFF) | 0x8000000000000000;
  static constexpr char digits[] = "0123456789abcdef";
  auto result = std::string(36, '-');
  auto at = size_t{0};
  for (auto i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20)
      ++at;
    auto word = i < 16 ? high : low;
    result[at++] = digits[word >> (60 - (i % 16) * 4) & 0xF];
  }
  return result;
}

} // namespace troupe
