#include "troupe/storage/record_codec.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/storage/big_endian.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

// On disk: a changed layout takes the next number, and `read` keeps the old.
constexpr char head_version = 1;
constexpr char record_version = 1;

// Both begin with the version and are padded to a multiple of four.
constexpr size_t head_size = 4 + 5 * 8;
constexpr size_t record_head_size = 4 + 8;
constexpr size_t reference_size = 32 + 8;

// A value on a damaged page may claim any size; copying it would run beyond
// the file.
constexpr size_t largest_head = head_size + 3 * (4 + (size_t{64} << 10));

caf::error damaged(const std::string& what) {
  return make_error(errc::storage, what + " in the store is damaged", {},
                    "restore the store from a backup");
}

caf::error check_version(std::string_view bytes, char known,
                         const std::string& what) {
  if (!bytes.empty() && bytes[0] == known)
    return {};
  // Zero is what a page holds that was never written.
  if (bytes.empty() || bytes[0] == 0)
    return damaged(what);
  auto found = std::to_string(static_cast<unsigned char>(bytes[0]));
  return make_error(errc::storage,
                    what + " has version " + found + ", this troupe knows "
                      + std::to_string(known),
                    {}, "use the troupe that wrote the store");
}

char* put_bytes(char* out, std::string_view bytes) {
  return std::copy(bytes.begin(), bytes.end(), out);
}

char* put_signed(char* out, int64_t value) {
  return put_big_endian(out, static_cast<uint64_t>(value));
}

int64_t get_signed(const char* in) {
  return static_cast<int64_t>(get_big_endian<uint64_t>(in));
}

caf::expected<uint64_t> read_number(std::string_view bytes,
                                    const std::string& what) {
  if (bytes.size() != sizeof(uint64_t))
    return damaged(what);
  return get_big_endian<uint64_t>(bytes.data());
}

} // namespace

// -- session_head -------------------------------------------------------------

size_t session_head_codec::size(const session_head& value) {
  return head_size + value.names.size();
}

void session_head_codec::write(const session_head& value, char* out) {
  out = put_big_endian(out, static_cast<uint32_t>(head_version) << 24);
  out = put_big_endian(out, value.number);
  out = put_big_endian(out, value.records);
  out = put_big_endian(out, value.messages);
  out = put_signed(out, value.created_at);
  out = put_signed(out, value.updated_at);
  put_bytes(out, value.names);
}

caf::expected<session_head> session_head_codec::read(std::string_view bytes) {
  if (auto why = check_version(bytes, head_version, "a session"))
    return why;
  if (bytes.size() < head_size || bytes.size() > largest_head)
    return damaged("a session");
  const auto* in = bytes.data() + 4;
  auto result = session_head{};
  result.number = get_big_endian<uint64_t>(in);
  result.records = get_big_endian<uint64_t>(in + 8);
  result.messages = get_big_endian<uint64_t>(in + 16);
  result.created_at = get_signed(in + 24);
  result.updated_at = get_signed(in + 32);
  result.names.assign(bytes.substr(head_size));
  return result;
}

// -- names --------------------------------------------------------------------

std::string pack_names(const session_key& key) {
  auto parts = {&key.agent, &key.session_id, &key.actor_id};
  auto result = std::string{};
  for (const auto* part : parts) {
    auto length = std::array<char, 4>{};
    put_big_endian(length.data(), static_cast<uint32_t>(part->size()));
    result.append(length.data(), length.size());
    result.append(*part);
  }
  return result;
}

caf::expected<session_key> unpack_names(std::string_view bytes) {
  auto result = session_key{};
  for (auto* part : {&result.agent, &result.session_id, &result.actor_id}) {
    if (bytes.size() < 4)
      return damaged("a session's name");
    auto length = get_big_endian<uint32_t>(bytes.data());
    bytes.remove_prefix(4);
    if (bytes.size() < length)
      return damaged("a session's name");
    part->assign(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  if (!bytes.empty())
    return damaged("a session's name");
  return result;
}

// -- stored_record ------------------------------------------------------------

size_t record_codec::size(const stored_record& value) {
  return record_head_size + value.content.size();
}

void record_codec::write(const stored_record& value, char* out) {
  *out++ = record_version;
  *out++ = static_cast<char>(value.kind);
  *out++ = static_cast<char>(value.place);
  *out++ = 0;
  out = put_signed(out, value.at);
  put_bytes(out, value.content);
}

caf::expected<stored_record> record_codec::read(std::string_view bytes) {
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
  std::copy_n(bytes.data(), result.digest.size(), result.digest.data());
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
