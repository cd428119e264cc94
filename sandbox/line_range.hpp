#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// Takes a text in pieces, keeps a range of its lines and counts them all.
class line_range {
public:
  /// Keeps `count` lines (0: all) from line `first` on (from 1), at most
  /// `bytes` bytes.
  line_range(uint64_t first, uint64_t count, uint64_t bytes);

  void feed(std::string_view piece);

  /// The lines as valid UTF-8: whole lines, unless one alone is too long.
  /// Call once.
  std::string take_content();

  /// Lines of the whole text; a last one without its end counts.
  uint64_t total() const noexcept;

  /// Whether lines that were asked for did not fit.
  bool is_cut() const noexcept;

private:
  void keep(std::string_view segment);

  uint64_t first_;
  uint64_t last_;
  uint64_t bytes_;
  uint64_t line_ = 1;
  bool ends_line_ = true;
  bool cut_ = false;
  std::string content_;
};

} // namespace troupe
