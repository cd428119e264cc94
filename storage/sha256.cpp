#include "troupe/storage/sha256.hpp"

#include "troupe/config/errc.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace troupe {

caf::expected<sha256_digest> sha256(std::string_view bytes) {
  auto result = sha256_digest{};
  auto* out = reinterpret_cast<unsigned char*>(result.data());
  if (EVP_Digest(bytes.data(), bytes.size(), out, nullptr, EVP_sha256(),
                 nullptr)
      != 1)
    return make_error(errc::storage, "OpenSSL offers no SHA-256", {},
                      "check OPENSSL_CONF and the installed providers");
  return result;
}

void release_hashing_thread() noexcept {
  OPENSSL_thread_stop();
}

} // namespace troupe
