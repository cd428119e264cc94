#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// No question that we answer is longer, with its EDNS record.
inline constexpr size_t longest_dns_query = 1232;

/// Record types that are treated apart.
enum class dns_type : uint16_t { a = 1, aaaa = 28 };

enum class dns_status : uint8_t {
  no_error = 0,
  format_error = 1,
  server_failure = 2,
  no_such_name = 3,
  not_implemented = 4,
};

/// A question of one record, as RFC 1035 has it.
struct dns_question {
  /// Not `no_error`: what a message gets that is no such question; the rest of
  /// this is empty then.
  dns_status status = dns_status::no_error;
  /// Labels joined by dots, as sent; empty for the root, and for a label with a
  /// dot or a NUL in it, which no host name has.
  std::string name;
  uint16_t type = 0;
  uint16_t klass = 0;
  /// The question's bytes, for the answer.
  std::vector<uint8_t> bytes;
  uint16_t id = 0;
  bool recursion_desired = false;
};

/// Reads a query. Nothing for what must not be answered: too short for a
/// header, or an answer itself.
std::optional<dns_question> read_dns_query(std::span<const uint8_t> message);

/// An answer of `status`, with one address if one is given (in host order).
std::vector<uint8_t> write_dns_answer(const dns_question& question,
                                      dns_status status,
                                      std::optional<uint32_t> address = {});

} // namespace troupe
