#pragma once

#include <string>
#include <utility>

namespace troupe {

/// A text that never prints: keys and passwords. Only `reveal` gives it away,
/// so a search for that word finds every use.
class secret {
public:
  secret() = default;

  explicit secret(std::string text) : text_(std::move(text)) {
    // nop
  }

  bool empty() const noexcept {
    return text_.empty();
  }

  const std::string& reveal() const noexcept {
    return text_;
  }

private:
  std::string text_;
};

} // namespace troupe
