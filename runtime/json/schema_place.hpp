#pragma once

#include <cstddef>
#include <string>

namespace troupe::detail {

/// Where in the source the rewriter is.
struct place {
  std::string pointer;
  /// The definition that it belongs to.
  size_t definition = 0;
  /// Nesting within the definition.
  size_t depth = 1;
  /// Nesting since the value that is checked last changed.
  size_t chain = 1;
  /// Whether that value is still the definition's own.
  bool is_whole = true;

  place at(const std::string& token) const {
    auto result = *this;
    result.pointer += '/';
    for (auto c : token)
      result.pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string{c};
    return result;
  }

  /// A schema for the same value.
  place same_value(const std::string& token) const {
    auto result = at(token);
    ++result.depth;
    ++result.chain;
    return result;
  }

  /// A schema for a part of the value.
  place part(const std::string& token) const {
    auto result = at(token);
    ++result.depth;
    result.chain = 1;
    result.is_whole = false;
    return result;
  }
};

} // namespace troupe::detail
