#include "troupe/storage/record_codec.hpp"

#include "troupe/storage/codec_bytes.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

// On disk: a changed layout takes the next number, and `read` keeps the old.
constexpr char record_version = 1;
// With blobs beside the body.
constexpr char record_version_2 = 2;

// Begins with the version and is padded to a multiple of four.
constexpr size_t record_head_size = 4 + 8;
constexpr size_t record_head_size_2 = record_head_size + 4;
constexpr size_t reference_size = 32 + 8;

// Takes the references off the front of what follows the head.
caf::error take_blobs(stored_record& out) {
  auto& rest = out.content;
  if (rest.size() < sizeof(uint32_t))
    return damaged("a record");
  auto count = get_big_endian<uint32_t>(rest.data());
  rest.remove_prefix(sizeof(uint32_t));
  if (count == 0 || count > most_blobs || rest.size() < count * reference_size)
    return damaged("a record");
  out.blobs = rest.substr(0, count * reference_size);
  rest.remove_prefix(count * reference_size);
  return {};
}

int value_of_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

} // namespace

// -- stored_record ------------------------------------------------------------

size_t stored_record_size(const stored_record& value) {
  auto head = value.blobs.empty() ? record_head_size : record_head_size_2;
  return head + value.blobs.size() + value.content.size();
}

void write_stored_record(const stored_record& value, char* out) {
  *out++ = value.blobs.empty() ? record_version : record_version_2;
  *out++ = static_cast<char>(value.kind);
  *out++ = static_cast<char>(value.place);
  *out++ = 0;
  out = put_signed(out, value.at);
  if (!value.blobs.empty()) {
    auto count = value.blobs.size() / reference_size;
    out = put_big_endian(out, static_cast<uint32_t>(count));
    out = put_bytes(out, value.blobs);
  }
  put_bytes(out, value.content);
}

caf::expected<stored_record> read_stored_record(std::string_view bytes) {
  auto has_blobs = !bytes.empty() && bytes[0] == record_version_2;
  if (bytes.empty() || bytes[0] != record_version)
    if (auto why = check_version(bytes, record_version_2, "a record"))
      return why;
  if (bytes.size() < record_head_size)
    return damaged("a record");
  auto result = stored_record{};
  result.kind = static_cast<record_kind>(bytes[1]);
  result.place = static_cast<body_place>(bytes[2]);
  result.at = get_signed(bytes.data() + 4);
  result.content = bytes.substr(record_head_size);
  if (has_blobs)
    if (auto why = take_blobs(result))
      return why;
  if (result.content.size() > largest_inlined || !is_known(result.kind)
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

caf::expected<std::vector<blob_reference>>
unpack_blob_references(std::string_view bytes) {
  auto result = std::vector<blob_reference>{};
  for (; !bytes.empty(); bytes.remove_prefix(reference_size)) {
    auto one = unpack_blob_reference(bytes.substr(0, reference_size));
    if (!one)
      return one.error();
    result.push_back(*one);
  }
  return result;
}

stored_blob describe_blob(const blob_reference& value) {
  constexpr auto digits = std::string_view{"0123456789abcdef"};
  auto result = stored_blob{};
  result.size = value.size;
  for (auto c : value.digest) {
    auto byte = static_cast<unsigned char>(c);
    result.digest += digits[byte >> 4];
    result.digest += digits[byte & 15];
  }
  return result;
}

caf::expected<blob_reference> reference_of(const stored_blob& blob) {
  auto result = blob_reference{{}, blob.size};
  if (blob.digest.size() != 2 * result.digest.size())
    return damaged("the digest of a blob");
  for (size_t i = 0; i < result.digest.size(); ++i) {
    auto high = value_of_digit(blob.digest[2 * i]);
    auto low = value_of_digit(blob.digest[2 * i + 1]);
    if (high < 0 || low < 0)
      return damaged("the digest of a blob");
    result.digest[i] = static_cast<char>(high * 16 + low);
  }
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
