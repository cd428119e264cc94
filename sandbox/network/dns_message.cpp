#include "troupe/sandbox/network/dns_message.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

constexpr size_t header_size = 12;
constexpr size_t longest_encoded_name = 255;
constexpr size_t longest_label = 63;

// Bits of the third and fourth byte.
constexpr uint8_t is_answer_bit = 0x80;
constexpr uint8_t opcode_bits = 0x78;
constexpr uint8_t authoritative_bit = 0x04;
constexpr uint8_t truncated_bit = 0x02;
constexpr uint8_t recursion_desired_bit = 0x01;
constexpr uint8_t recursion_available_bit = 0x80;

// A name never changes its address while a gateway lives.
constexpr uint32_t lifetime_in_seconds = 60;

uint16_t number_at(std::span<const uint8_t> bytes, size_t offset) {
  return static_cast<uint16_t>(bytes[offset] << 8 | bytes[offset + 1]);
}

void put(std::vector<uint8_t>& to, uint16_t x) {
  to.push_back(static_cast<uint8_t>(x >> 8));
  to.push_back(static_cast<uint8_t>(x & 0xff));
}

void put_long(std::vector<uint8_t>& to, uint32_t x) {
  put(to, static_cast<uint16_t>(x >> 16));
  put(to, static_cast<uint16_t>(x & 0xffff));
}

/// A name, and how many bytes it took.
struct encoded_name {
  std::string text;
  size_t size = 0;
};

// Compressed names have no place in a question.
std::optional<encoded_name> read_name(std::span<const uint8_t> bytes) {
  auto result = encoded_name{};
  auto is_host = true;
  for (auto at = size_t{0}; at < bytes.size();) {
    auto length = size_t{bytes[at++]};
    if (length == 0) {
      result.size = at;
      if (!is_host)
        result.text.clear();
      return result;
    }
    if (length > longest_label || length >= bytes.size() - at
        || at + length >= longest_encoded_name)
      return std::nullopt;
    auto label = bytes.subspan(at, length);
    is_host = is_host && std::none_of(label.begin(), label.end(), [](auto x) {
                return x == '.' || x == 0;
              });
    if (!result.text.empty())
      result.text += '.';
    result.text.append(label.begin(), label.end());
    at += length;
  }
  return std::nullopt;
}

bool has_counts(std::span<const uint8_t> message, uint16_t questions,
                uint16_t answers, uint16_t authorities) {
  return number_at(message, 4) == questions && number_at(message, 6) == answers
         && number_at(message, 8) == authorities;
}

} // namespace

std::optional<dns_question> read_dns_query(std::span<const uint8_t> message) {
  if (message.size() < header_size || (message[2] & is_answer_bit) != 0)
    return std::nullopt;
  auto result = dns_question{};
  result.id = number_at(message, 0);
  result.recursion_desired = (message[2] & recursion_desired_bit) != 0;
  if ((message[2] & opcode_bits) != 0) {
    result.status = dns_status::not_implemented;
    return result;
  }
  // What may follow the question is an EDNS record.
  result.status = dns_status::format_error;
  if (message.size() > longest_dns_query
      || (message[2] & (truncated_bit | authoritative_bit)) != 0
      || !has_counts(message, 1, 0, 0) || number_at(message, 10) > 1)
    return result;
  auto rest = message.subspan(header_size);
  auto name = read_name(rest);
  if (!name || rest.size() < name->size + 4)
    return result;
  if (number_at(message, 10) == 0 && rest.size() != name->size + 4)
    return result;
  result.status = dns_status::no_error;
  result.name = std::move(name->text);
  result.type = number_at(rest, name->size);
  result.klass = number_at(rest, name->size + 2);
  auto question = rest.first(name->size + 4);
  result.bytes.assign(question.begin(), question.end());
  return result;
}

std::vector<uint8_t> write_dns_answer(const dns_question& question,
                                      dns_status status,
                                      std::optional<uint32_t> address) {
  auto result = std::vector<uint8_t>{};
  put(result, question.id);
  auto flags = is_answer_bit | authoritative_bit;
  if (question.recursion_desired)
    flags |= recursion_desired_bit;
  result.push_back(static_cast<uint8_t>(flags));
  result.push_back(static_cast<uint8_t>(recursion_available_bit
                                        | static_cast<uint8_t>(status)));
  put(result, question.bytes.empty() ? 0 : 1);
  put(result, address ? 1 : 0);
  put_long(result, 0);
  result.insert(result.end(), question.bytes.begin(), question.bytes.end());
  if (!address)
    return result;
  // The name of the answer is that of the question.
  put(result, 0xc000 | header_size);
  put(result, static_cast<uint16_t>(dns_type::a));
  put(result, 1);
  put_long(result, lifetime_in_seconds);
  put(result, 4);
  put_long(result, *address);
  return result;
}

} // namespace troupe
