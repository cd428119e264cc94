#pragma once

#include "caf/expected.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// Computes SHA-256 over pieces.
class sha256 {
public:
  sha256();
  sha256(const sha256&) = delete;
  sha256& operator=(const sha256&) = delete;
  ~sha256();

  void update(std::string_view piece);

  /// Ends the computation: 64 hexadecimal digits, or an internal error when
  /// the cryptographic library failed. Call once.
  caf::expected<std::string> finish();

private:
  struct context;
  std::unique_ptr<context> context_;
};

/// The digest of `text` whole.
caf::expected<std::string> sha256_of(std::string_view text);

} // namespace troupe
