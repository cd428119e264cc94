#include "troupe/storage/run_codec.hpp"

#include "troupe/storage/codec_bytes.hpp"

#include <array>

namespace troupe {

namespace {

// On disk: a changed layout takes the next number, and `read` keeps the old.
constexpr char run_version = 1;
constexpr char artifact_version = 1;

constexpr auto a_run = "a run";
constexpr auto an_artifact = "an artifact";

// Version, status, flags, zero; recoveries; eight numbers.
constexpr size_t run_size = 4 + 4 + 8 * 8;
constexpr size_t texts = 7;
constexpr size_t largest_run = run_size + texts * (4 + longest_text);

// Version and padding, time, digest and size.
constexpr size_t artifact_size = 4 + 8 + 32 + 8;

// In `flags`.
constexpr char cancel_flag = 1;

// In the order of the layout.
template <class Head>
auto texts_of(Head& x) {
  return std::array{&x.kind,
                    &x.name,
                    &x.queue,
                    &x.session.agent,
                    &x.session.session_id,
                    &x.session.actor_id,
                    &x.lease.owner};
}

} // namespace

size_t run_codec::size(const stored_run& value) {
  auto result = run_size;
  for (const auto* text : texts_of(value.head))
    result += text_size(*text);
  return result;
}

void run_codec::write(const stored_run& value, char* out) {
  const auto& head = value.head;
  *out++ = run_version;
  *out++ = static_cast<char>(head.status);
  *out++ = head.cancel_requested ? cancel_flag : 0;
  *out++ = 0;
  out = put_big_endian(out, head.recoveries);
  out = put_big_endian(out, value.number);
  out = put_big_endian(out, head.events);
  out = put_big_endian(out, head.lease.epoch);
  out = put_signed(out, head.lease.until);
  out = put_signed(out, head.created_at);
  out = put_signed(out, head.updated_at);
  out = put_signed(out, head.due_at);
  out = put_signed(out, 0);
  for (const auto* text : texts_of(head))
    out = put_text(out, *text);
}

caf::expected<stored_run> run_codec::read(std::string_view bytes) {
  if (auto why = check_version(bytes, run_version, a_run))
    return why;
  if (bytes.size() < run_size || bytes.size() > largest_run)
    return damaged(a_run);
  auto result = stored_run{};
  auto& head = result.head;
  head.status = static_cast<run_status>(bytes[1]);
  head.cancel_requested = (bytes[2] & cancel_flag) != 0;
  const auto* in = bytes.data() + 4;
  head.recoveries = get_big_endian<uint32_t>(in);
  result.number = get_big_endian<uint64_t>(in + 4);
  head.events = get_big_endian<uint64_t>(in + 12);
  head.lease.epoch = get_big_endian<uint64_t>(in + 20);
  head.lease.until = get_signed(in + 28);
  head.created_at = get_signed(in + 36);
  head.updated_at = get_signed(in + 44);
  head.due_at = get_signed(in + 52);
  bytes.remove_prefix(run_size);
  for (auto* text : texts_of(head)) {
    auto view = std::string_view{};
    if (!take_text(bytes, view))
      return damaged(a_run);
    text->assign(view);
  }
  if (!bytes.empty() || !is_known(head.status))
    return damaged(a_run);
  return result;
}

size_t artifact_codec::size(const stored_artifact& value) {
  return artifact_size + value.media_type.size();
}

void artifact_codec::write(const stored_artifact& value, char* out) {
  out = put_big_endian(out, static_cast<uint32_t>(artifact_version) << 24);
  out = put_signed(out, value.at);
  out = put_bytes(out, pack_blob_reference(value.content));
  put_bytes(out, value.media_type);
}

caf::expected<stored_artifact> artifact_codec::read(std::string_view bytes) {
  if (auto why = check_version(bytes, artifact_version, an_artifact))
    return why;
  if (bytes.size() < artifact_size
      || bytes.size() > artifact_size + longest_text)
    return damaged(an_artifact);
  auto content = unpack_blob_reference(bytes.substr(12, 40));
  if (!content)
    return content.error();
  auto result = stored_artifact{};
  result.at = get_signed(bytes.data() + 4);
  result.content = *content;
  result.media_type.assign(bytes.substr(artifact_size));
  return result;
}

} // namespace troupe
