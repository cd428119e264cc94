#include "troupe/storage/key_codec.hpp"

#include "troupe/storage/big_endian.hpp"
#include "troupe/storage/sha256.hpp"

#include <algorithm>

namespace troupe {

namespace {

// On disk: never change. A part begins with what it is.
constexpr char literal_part = 1;
constexpr char hashed_part = 2;

// Three of these fit into a key.
constexpr size_t longest_part = 160;

// A zero byte becomes 00 FF and the end 00 01, so that a part ends before
// every longer one that begins with it, whatever its bytes.
constexpr auto escaped_zero = std::string_view{"\0\xff", 2};
constexpr auto end_of_part = std::string_view{"\0\1", 2};

size_t literal_size(std::string_view part) {
  auto zeros = std::count(part.begin(), part.end(), '\0');
  return part.size() + static_cast<size_t>(zeros) + 3;
}

void append_literal(key_bytes& result, std::string_view part) {
  result.append(literal_part);
  for (;;) {
    auto zero = part.find('\0');
    result.append(part.substr(0, zero));
    if (zero == std::string_view::npos)
      break;
    result.append(escaped_zero);
    part.remove_prefix(zero + 1);
  }
  result.append(end_of_part);
}

caf::error append_part(key_bytes& result, std::string_view part) {
  if (part.size() <= longest_part && literal_size(part) <= longest_part) {
    append_literal(result, part);
    return {};
  }
  auto digest = sha256(part);
  if (!digest)
    return digest.error();
  result.append(hashed_part);
  result.append(as_bytes(*digest));
  return {};
}

// On disk: never change. With which list of queued runs a key begins.
constexpr char all_queues = 1;
constexpr char one_queue = 2;

// So that the order of the bytes is that of the numbers, the negative first.
constexpr auto sign_bit = uint64_t{1} << 63;

void append_due(key_bytes& result, int64_t due, std::string_view run_id) {
  result.append(static_cast<uint64_t>(due) ^ sign_bit);
  result.append(run_id);
}

} // namespace

void key_bytes::append(std::string_view bytes) noexcept {
  auto count = std::min(bytes.size(), bytes_.size() - size_);
  std::copy_n(bytes.begin(), count, bytes_.data() + size_);
  size_ += count;
}

void key_bytes::append(char byte) noexcept {
  append(std::string_view{&byte, 1});
}

void key_bytes::append(uint64_t number) noexcept {
  auto bytes = std::array<char, 8>{};
  put_big_endian(bytes.data(), number);
  append(std::string_view{bytes.data(), bytes.size()});
}

key_bytes record_key(uint64_t number, uint64_t seq) {
  auto result = key_bytes{};
  result.append(number);
  result.append(seq);
  return result;
}

key_bytes fork_key(uint64_t parent, uint64_t child) {
  return record_key(parent, child);
}

// -- runs ---------------------------------------------------------------------

key_bytes number_key(uint64_t number) {
  return run_part_key(number, {});
}

key_bytes run_part_key(uint64_t number, std::string_view name) {
  auto result = key_bytes{};
  result.append(number);
  result.append(name);
  return result;
}

key_bytes run_status_key(run_status status, std::string_view run_id) {
  auto result = key_bytes{};
  result.append(static_cast<char>(status));
  result.append(run_id);
  return result;
}

key_bytes run_due_key(int64_t due, std::string_view run_id) {
  auto result = run_due_prefix();
  append_due(result, due, run_id);
  return result;
}

caf::expected<key_bytes> run_due_key(const std::string& queue, int64_t due,
                                     std::string_view run_id) {
  auto result = run_due_prefix(queue);
  if (result)
    append_due(*result, due, run_id);
  return result;
}

key_bytes run_due_prefix() {
  auto result = key_bytes{};
  result.append(all_queues);
  return result;
}

caf::expected<key_bytes> run_due_prefix(const std::string& queue) {
  auto result = key_bytes{};
  result.append(one_queue);
  if (auto why = append_part(result, queue))
    return why;
  return result;
}

std::optional<due_run> read_due_run(std::string_view rest) {
  constexpr auto head = sizeof(uint64_t);
  if (rest.size() <= head || rest.size() > head + longest_run_id)
    return std::nullopt;
  auto due = get_big_endian<uint64_t>(rest.data()) ^ sign_bit;
  return due_run{static_cast<int64_t>(due), std::string{rest.substr(head)}};
}

// -- sessions -----------------------------------------------------------------

caf::expected<key_bytes> session_table_key(const session_key& key) {
  auto result = key_bytes{};
  for (const auto* part : {&key.session_id, &key.agent, &key.actor_id})
    if (auto why = append_part(result, *part))
      return why;
  return result;
}

caf::expected<key_bytes> session_table_prefix(const std::string& session_id) {
  auto result = key_bytes{};
  if (auto why = append_part(result, session_id))
    return why;
  return result;
}

} // namespace troupe
