#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

// The few forms of CBOR (RFC 8949) that our records are made of, of definite
// length: unsigned numbers, texts, arrays, maps and true.

/// Appends CBOR to a string: this runs for each message of each run, and a
/// document tree would cost more than all the rest of the commit.
class cbor_writer {
public:
  explicit cbor_writer(std::string& out) : out_(out) {
    // nop
  }

  /// Begins a map of `members` keys, each followed by its value.
  void map(uint64_t members);

  /// Begins an array.
  void array(uint64_t items);

  void number(uint64_t value);
  void text(std::string_view value);
  void yes();

private:
  void head(unsigned major, uint64_t value);
  void bytes(uint64_t value, int count);

  std::string& out_;
};

/// Reads what is expected next, from bytes that may be anything. The first
/// thing that is otherwise fails the reader; from then on it reads zeros.
class cbor_reader {
public:
  explicit cbor_reader(std::string_view bytes) : rest_(bytes) {
    // nop
  }

  /// The number of members that follow.
  uint64_t map();

  /// The number of items that follow.
  uint64_t array();

  uint64_t number();
  std::string text();

  /// True, or a failure.
  bool yes();

  void fail();

  bool good() const noexcept {
    return good_;
  }

  bool at_end() const noexcept {
    return rest_.empty();
  }

private:
  uint64_t head(unsigned major);
  uint64_t take(size_t count);

  std::string_view rest_;
  bool good_ = true;
};

} // namespace troupe
