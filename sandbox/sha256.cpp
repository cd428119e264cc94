#include "troupe/sandbox/sha256.hpp"

#include "troupe/config/errc.hpp"

#include <openssl/evp.h>

#include <array>

namespace troupe {

namespace {

std::string to_hex(const unsigned char* bytes, size_t size) {
  constexpr auto digits = std::string_view{"0123456789abcdef"};
  auto result = std::string{};
  for (auto i = size_t{0}; i < size; ++i) {
    result += digits[bytes[i] >> 4];
    result += digits[bytes[i] & 15];
  }
  return result;
}

} // namespace

struct sha256::context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  bool valid = evp != nullptr
               && EVP_DigestInit_ex(evp, EVP_sha256(), nullptr) == 1;
};

sha256::sha256() : context_(std::make_unique<context>()) {
  // nop
}

sha256::~sha256() {
  EVP_MD_CTX_free(context_->evp);
}

void sha256::update(std::string_view piece) {
  auto& x = *context_;
  x.valid = x.valid && EVP_DigestUpdate(x.evp, piece.data(), piece.size()) == 1;
}

caf::expected<std::string> sha256::finish() {
  auto& x = *context_;
  auto digest = std::array<unsigned char, EVP_MAX_MD_SIZE>{};
  auto size = 0u;
  if (!x.valid || EVP_DigestFinal_ex(x.evp, digest.data(), &size) != 1)
    return make_error(errc::internal, "OpenSSL cannot compute SHA-256");
  return to_hex(digest.data(), size);
}

caf::expected<std::string> sha256_of(std::string_view text) {
  auto sum = sha256{};
  sum.update(text);
  return sum.finish();
}

} // namespace troupe
