#include "troupe/sandbox/line_range.hpp"

#include "troupe/sandbox/utf8.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace troupe {

line_range::line_range(uint64_t first, uint64_t count, uint64_t bytes)
  : first_(std::max<uint64_t>(first, 1)),
    last_(0),
    bytes_(bytes) {
  constexpr auto endless = std::numeric_limits<uint64_t>::max();
  last_ = count == 0 || count > endless - first_ ? endless : first_ + count - 1;
}

void line_range::feed(std::string_view piece) {
  while (!piece.empty()) {
    auto end = piece.find('\n');
    ends_line_ = end != std::string_view::npos;
    auto segment = piece.substr(0, ends_line_ ? end + 1 : piece.size());
    if (line_ >= first_ && line_ <= last_ && !cut_)
      keep(segment);
    line_ += ends_line_ ? 1 : 0;
    piece.remove_prefix(segment.size());
  }
}

void line_range::keep(std::string_view segment) {
  auto room = bytes_ - content_.size();
  cut_ = segment.size() > room;
  content_ += segment.substr(0, room);
}

std::string line_range::take_content() {
  auto result = repair_utf8(std::exchange(content_, {}));
  // The replacement character is longer than the byte it stands for.
  if (result.size() > bytes_) {
    cut_ = true;
    result.resize(cut_utf8(result, bytes_).size());
  }
  auto line_end = cut_ ? result.rfind('\n') : std::string::npos;
  if (line_end != std::string::npos)
    result.resize(line_end + 1);
  return result;
}

uint64_t line_range::total() const noexcept {
  return line_ - (ends_line_ ? 1 : 0);
}

bool line_range::is_cut() const noexcept {
  return cut_;
}

} // namespace troupe
