#include "troupe/runtime/http/sse_parser.hpp"

#include "troupe/config/errc.hpp"

#include <algorithm>
#include <cstring>

namespace troupe {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

const char* find_byte(const char* first, const char* last, char byte) {
  auto size = static_cast<size_t>(last - first);
  auto pos = size == 0 ? nullptr : std::memchr(first, byte, size);
  return pos == nullptr ? last : static_cast<const char*>(pos);
}

} // namespace

sse_parser::sse_parser(size_t event_limit) : limit_(event_limit) {
  // nop
}

void sse_parser::feed(std::string_view bytes) {
  input_ = bytes;
  line_feed_ = nullptr;
}

void sse_parser::finish() {
  finished_ = true;
}

std::optional<sse_event> sse_parser::next() {
  if (event_taken_) {
    event_taken_ = false;
    data_.clear();
    event_.clear();
  }
  auto line = std::string_view{};
  auto whole = false;
  while (!whole && !overflow_ && read_line(line))
    whole = take_line(line);
  if (!whole && finished_ && !overflow_)
    whole = complete();
  if (!whole)
    return std::nullopt;
  event_taken_ = true;
  return sse_event{event_, data_, id_};
}

caf::error sse_parser::error() const {
  if (!overflow_)
    return {};
  return make_error(errc::protocol, "a server-sent event has more than "
                                      + std::to_string(limit_) + " bytes");
}

bool sse_parser::read_line(std::string_view& line) {
  if (line_taken_) {
    line_taken_ = false;
    line_.clear();
  }
  if (skip_line_feed_ && !input_.empty()) {
    skip_line_feed_ = false;
    if (input_.front() == '\n')
      input_.remove_prefix(1);
  }
  auto end = find_line_end();
  auto found = end != std::string_view::npos;
  auto piece = input_.substr(0, end);
  if (!fits(piece.size()))
    return false;
  if (found) {
    skip_line_feed_ = input_[end] == '\r';
    input_.remove_prefix(end + 1);
  } else {
    input_.remove_prefix(piece.size());
    found = finished_ && !(line_.empty() && piece.empty());
  }
  if (found && line_.empty()) {
    line = piece;
    return true;
  }
  line_.append(piece);
  line = line_;
  line_taken_ = found;
  return found;
}

size_t sse_parser::find_line_end() {
  auto first = input_.data();
  auto last = first + input_.size();
  if (line_feed_ == nullptr || line_feed_ < first)
    line_feed_ = find_byte(first, last, '\n');
  auto end = find_byte(first, line_feed_, '\r');
  return end == last ? std::string_view::npos
                     : static_cast<size_t>(end - first);
}

bool sse_parser::fits(size_t bytes) {
  event_bytes_ += bytes;
  overflow_ = overflow_ || event_bytes_ > limit_;
  return !overflow_;
}

bool sse_parser::take_line(std::string_view line) {
  if (!started_) {
    started_ = true;
    if (line.substr(0, byte_order_mark.size()) == byte_order_mark)
      line.remove_prefix(byte_order_mark.size());
  }
  if (line.empty())
    return complete();
  if (line.front() == ':') {
    event_bytes_ -= line.size(); // a server may keep us awake for hours
    return false;
  }
  auto colon = line.find(':');
  auto name = line.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view{}
                                               : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ')
    value.remove_prefix(1);
  take_field(name, value);
  return false;
}

void sse_parser::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (data_lines_++ != 0)
      data_ += '\n';
    data_.append(value);
  } else if (name == "event") {
    event_ = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    id_ = value;
  }
}

bool sse_parser::complete() {
  auto whole = data_lines_ != 0;
  data_lines_ = 0;
  event_bytes_ = 0;
  if (!whole)
    event_.clear();
  return whole;
}

} // namespace troupe
