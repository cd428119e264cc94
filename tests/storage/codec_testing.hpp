#pragma once

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

#include "caf/expected.hpp"

#include <random>
#include <string>

namespace troupe::test {

template <class Codec>
std::string encode(const typename Codec::value_type& value) {
  auto result = std::string(Codec::size(value), '?');
  Codec::write(value, result.data());
  return result;
}

/// What a codec says of bytes that it refuses, which it must.
template <class T>
std::string message_of(const caf::expected<T>& outcome) {
  REQUIRE_FALSE(outcome);
  auto what = to_fault(outcome.error());
  CHECK(what.kind == errc::storage);
  CHECK_FALSE(what.hint.empty());
  return what.message;
}

/// Up to `longest` bytes, most of them such as a head may begin with.
inline std::string random_bytes(std::mt19937& random, size_t longest) {
  auto result = std::string(random() % (longest + 1), '\0');
  for (auto& byte : result)
    byte = static_cast<char>(random() % 4 == 0 ? random() : random() % 3);
  return result;
}

/// Requires that `read` refuses every cut of `bytes`, and lives through every
/// change of one byte of them. Each is a copy of its own, so that a sanitizer
/// sees what is beyond.
template <class Read>
void check_hostile(const std::string& bytes, Read read) {
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(read(std::string{bytes.substr(0, size)}));
  CHECK_FALSE(read(bytes + "x"));
  for (size_t at = 0; at < bytes.size(); ++at)
    for (auto byte : {'\0', '\1', '\x7f', '\xff'}) {
      auto changed = std::string{bytes};
      changed[at] = byte;
      read(changed);
    }
}

} // namespace troupe::test
