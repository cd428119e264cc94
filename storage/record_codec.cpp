#include "troupe/storage/record_codec.hpp"

#include "troupe/storage/codec_bytes.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

// On disk: a changed layout takes the next number, and `read` keeps the old.
constexpr char record_version = 1;

// Begins with the version and is padded to a multiple of four.
constexpr size_t record_head_size = 4 + 8;
constexpr size_t reference_size = 32 + 8;

} // namespace

// -- stored_record ------------------------------------------------------------

size_t stored_record_size(const stored_record& value) {
  return record_head_size + value.content.size();
}

void write_stored_record(const stored_record& value, char* out) {
  *out++ = record_version;
  *out++ = static_cast<char>(value.kind);
  *out++ = static_cast<char>(value.place);
  *out++ = 0;
  out = put_signed(out, value.at);
  put_bytes(out, value.content);
}

caf::expected<stored_record> read_stored_record(std::string_view bytes) {
  if (auto why = check_version(bytes, record_version, "a record"))
    return why;
  if (bytes.size() < record_head_size
      || bytes.size() > record_head_size + largest_inlined)
    return damaged("a record");
  auto result = stored_record{};
  result.kind = static_cast<record_kind>(bytes[1]);
  result.place = static_cast<body_place>(bytes[2]);
  result.at = get_signed(bytes.data() + 4);
  result.content = bytes.substr(record_head_size);
  if (!is_known(result.kind)
      || (result.place != body_place::inlined
          && result.place != body_place::blob))
    return damaged("a record");
  return result;
}

// -- blobs --------------------------------------------------------------------

std::string pack_blob_reference(const blob_reference& value) {
  auto result = std::string(reference_size, '\0');
  auto* out = put_bytes(result.data(), as_bytes(value.digest));
  put_big_endian(out, value.size);
  return result;
}

caf::expected<blob_reference> unpack_blob_reference(std::string_view bytes) {
  if (bytes.size() != reference_size)
    return damaged("the reference to a blob");
  auto result = blob_reference{};
  std::copy_n(bytes.begin(), result.digest.size(), result.digest.data());
  result.size = get_big_endian<uint64_t>(bytes.data() + result.digest.size());
  return result;
}

size_t blob_codec::size(std::string_view value) {
  return value.size();
}

void blob_codec::write(std::string_view value, char* out) {
  put_bytes(out, value);
}

caf::expected<std::string_view> blob_codec::read(std::string_view bytes) {
  return bytes;
}

size_t blob_uses_codec::size(uint64_t) {
  return sizeof(uint64_t);
}

void blob_uses_codec::write(uint64_t value, char* out) {
  put_big_endian(out, value);
}

caf::expected<uint64_t> blob_uses_codec::read(std::string_view bytes) {
  return read_number(bytes, "the use count of a blob");
}

size_t counter_codec::size(uint64_t) {
  return sizeof(uint64_t);
}

void counter_codec::write(uint64_t value, char* out) {
  put_big_endian(out, value);
}

caf::expected<uint64_t> counter_codec::read(std::string_view bytes) {
  return read_number(bytes, "a counter");
}

} // namespace troupe
