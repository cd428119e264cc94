#include "troupe/storage/session_codec.hpp"

#include "troupe/storage/codec_bytes.hpp"

#include <array>

namespace troupe {

namespace {

// On disk: a changed layout takes the next number, and `read` keeps the old.
constexpr char head_version = 2;
constexpr char head_version_1 = 1;
constexpr char log_version = 1;

constexpr auto a_session = "a session";
constexpr auto a_log = "a forked log";

// All begin with the version, padded to a multiple of four.
constexpr size_t head_size = 4 + 9 * 8;
constexpr size_t head_size_1 = 4 + 5 * 8;
constexpr size_t log_size = 4 + 3 * 8;
constexpr size_t texts = 7;

// A value on a damaged page may claim any size.
constexpr size_t largest_head = head_size + texts * (4 + longest_text);

// In the order of the layout.
template <class Head>
auto texts_of(Head& x) {
  return std::array{&x.key.agent,
                    &x.key.session_id,
                    &x.key.actor_id,
                    &x.parent_key.agent,
                    &x.parent_key.session_id,
                    &x.parent_key.actor_id,
                    &x.run_id};
}

template <class Head>
auto numbers_of(Head& x) {
  return std::array{&x.number,       &x.records, &x.messages, &x.last_state,
                    &x.last_summary, &x.parent,  &x.shared};
}

bool take_into(std::string_view& bytes, std::string& text) {
  auto view = std::string_view{};
  if (!take_text(bytes, view))
    return false;
  text.assign(view);
  return true;
}

// What a loop over the records relies on.
bool is_sound(const session_head& x) {
  return x.messages <= x.records && x.last_state <= x.records
         && x.last_summary <= x.records && x.shared <= x.records
         && x.parent < x.number && (x.parent != 0 || x.shared == 0);
}

} // namespace

// -- heads --------------------------------------------------------------------

size_t session_head_codec::size(const session_head& value) {
  auto result = head_size;
  for (const auto* text : texts_of(value))
    result += text_size(*text);
  return result;
}

void session_head_codec::write(const session_head& value, char* out) {
  out = put_big_endian(out, static_cast<uint32_t>(head_version) << 24);
  for (const auto* number : numbers_of(value))
    out = put_big_endian(out, *number);
  out = put_signed(out, value.created_at);
  out = put_signed(out, value.updated_at);
  for (const auto* text : texts_of(value))
    out = put_text(out, *text);
}

caf::expected<session_head> session_head_codec::read(std::string_view bytes) {
  if (auto why = check_version(bytes, head_version, a_session))
    return why;
  if (bytes.size() < head_size || bytes.size() > largest_head)
    return damaged(a_session);
  const auto* in = bytes.data() + 4;
  auto result = session_head{};
  for (auto* number : numbers_of(result)) {
    *number = get_big_endian<uint64_t>(in);
    in += sizeof(uint64_t);
  }
  result.created_at = get_signed(in);
  result.updated_at = get_signed(in + 8);
  bytes.remove_prefix(head_size);
  for (auto* text : texts_of(result))
    if (!take_into(bytes, *text))
      return damaged(a_session);
  if (!bytes.empty() || !is_sound(result))
    return damaged(a_session);
  return result;
}

caf::expected<session_head> read_session_head_v1(std::string_view bytes) {
  if (auto why = check_version(bytes, head_version_1, a_session))
    return why;
  if (bytes.size() < head_size_1 || bytes.size() > largest_head)
    return damaged(a_session);
  const auto* in = bytes.data() + 4;
  auto result = session_head{};
  result.number = get_big_endian<uint64_t>(in);
  result.records = get_big_endian<uint64_t>(in + 8);
  result.messages = get_big_endian<uint64_t>(in + 16);
  result.created_at = get_signed(in + 24);
  result.updated_at = get_signed(in + 32);
  bytes.remove_prefix(head_size_1);
  for (auto* text :
       {&result.key.agent, &result.key.session_id, &result.key.actor_id})
    if (!take_into(bytes, *text))
      return damaged(a_session);
  if (!bytes.empty() || !is_sound(result))
    return damaged(a_session);
  return result;
}

// -- forks --------------------------------------------------------------------

size_t forked_log_codec::size(const forked_log&) {
  return log_size;
}

void forked_log_codec::write(const forked_log& value, char* out) {
  out = put_big_endian(out, static_cast<uint32_t>(log_version) << 24);
  out = put_big_endian(out, value.parent);
  out = put_big_endian(out, value.shared);
  put_big_endian(out, value.kept);
}

caf::expected<forked_log> forked_log_codec::read(std::string_view bytes) {
  if (auto why = check_version(bytes, log_version, a_log))
    return why;
  if (bytes.size() != log_size)
    return damaged(a_log);
  auto result = forked_log{};
  result.parent = get_big_endian<uint64_t>(bytes.data() + 4);
  result.shared = get_big_endian<uint64_t>(bytes.data() + 12);
  result.kept = get_big_endian<uint64_t>(bytes.data() + 20);
  if (result.parent == 0 && result.shared != 0)
    return damaged(a_log);
  return result;
}

size_t fork_codec::size(uint64_t) {
  return sizeof(uint64_t);
}

void fork_codec::write(uint64_t value, char* out) {
  put_big_endian(out, value);
}

caf::expected<uint64_t> fork_codec::read(std::string_view bytes) {
  return read_number(bytes, "a fork");
}

} // namespace troupe
