#include "troupe/runtime/model/cbor.hpp"

namespace troupe {

namespace {

// Major types, RFC 8949 section 3.
constexpr auto major_number = 0u;
constexpr auto major_text = 3u;
constexpr auto major_array = 4u;
constexpr auto major_map = 5u;
constexpr auto simple_true = '\xF5';

} // namespace

void cbor_writer::map(uint64_t members) {
  head(major_map, members);
}

void cbor_writer::array(uint64_t items) {
  head(major_array, items);
}

void cbor_writer::number(uint64_t value) {
  head(major_number, value);
}

void cbor_writer::text(std::string_view value) {
  head(major_text, value.size());
  out_.append(value);
}

void cbor_writer::yes() {
  out_.push_back(simple_true);
}

void cbor_writer::head(unsigned major, uint64_t value) {
  auto first = uint64_t{major} << 5;
  if (value < 24) {
    out_.push_back(static_cast<char>(first | value));
  } else if (value <= 0xFF) {
    bytes(first | 24, 1);
    bytes(value, 1);
  } else if (value <= 0xFFFF) {
    bytes(first | 25, 1);
    bytes(value, 2);
  } else if (value <= 0xFFFFFFFF) {
    bytes(first | 26, 1);
    bytes(value, 4);
  } else {
    bytes(first | 27, 1);
    bytes(value, 8);
  }
}

void cbor_writer::bytes(uint64_t value, int count) {
  for (auto shift = (count - 1) * 8; shift >= 0; shift -= 8)
    out_.push_back(static_cast<char>(value >> shift & 0xFF));
}

uint64_t cbor_reader::map() {
  return head(major_map);
}

uint64_t cbor_reader::array() {
  return head(major_array);
}

uint64_t cbor_reader::number() {
  return head(major_number);
}

std::string cbor_reader::text() {
  auto size = head(major_text);
  if (size > rest_.size()) {
    fail();
    return {};
  }
  auto result = std::string{rest_.substr(0, size)};
  rest_.remove_prefix(size);
  return result;
}

bool cbor_reader::yes() {
  if (rest_.empty() || rest_.front() != simple_true) {
    fail();
    return false;
  }
  rest_.remove_prefix(1);
  return true;
}

void cbor_reader::fail() {
  good_ = false;
  rest_ = {};
}

uint64_t cbor_reader::head(unsigned major) {
  auto first = take(1);
  if (!good_ || first >> 5 != major) {
    fail();
    return 0;
  }
  auto value = first & 0x1F;
  if (value < 24)
    return value;
  if (value <= 27)
    return take(size_t{1} << (value - 24));
  fail();
  return 0;
}

uint64_t cbor_reader::take(size_t count) {
  if (count > rest_.size()) {
    fail();
    return 0;
  }
  auto result = uint64_t{0};
  for (size_t i = 0; i < count; ++i)
    result = result << 8 | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(count);
  return result;
}

} // namespace troupe
