#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/model/cbor.hpp"

#include "caf/expected.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace troupe {

// Stored structs as CBOR maps with short keys. A struct says its members once:
//
//   template <class F>
//   void stored_fields(F& f, run_step& x) {
//     f("i", x.id);
//     f("p", x.participant);
//   }
//
// Members that are zero or empty are left out, unknown keys fail the reader: a
// later version's records are in a store of a later version. On disk: a key is
// never used again for something else.

namespace detail {

template <class T>
struct is_stored_list : std::false_type {};

template <class T>
struct is_stored_list<std::vector<T>> : std::true_type {};

class field_counter {
public:
  template <class T>
  void operator()(std::string_view, T& x) {
    count += is_absent(x) ? 0 : 1;
  }

  template <class T>
  static bool is_absent(const T& x) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      return x == T{};
    } else if constexpr (std::is_same_v<T, caf::timespan>) {
      return x.count() == 0;
    } else if constexpr (std::is_same_v<T, std::string>
                         || is_stored_list<T>::value) {
      return x.empty();
    } else {
      auto inner = field_counter{};
      stored_fields(inner, const_cast<T&>(x)); // only looks
      return inner.count == 0;
    }
  }

  uint64_t count = 0;
};

class field_writer {
public:
  explicit field_writer(cbor_writer& out) : out_(out) {
    // nop
  }

  template <class T>
  void operator()(std::string_view key, T& x) {
    if (field_counter::is_absent(x))
      return;
    out_.text(key);
    value(x);
  }

  template <class T>
  void value(T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      out_.yes();
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      out_.number(static_cast<uint64_t>(x));
    } else if constexpr (std::is_same_v<T, caf::timespan>) {
      out_.number(static_cast<uint64_t>(x.count()));
    } else if constexpr (std::is_same_v<T, std::string>) {
      out_.text(x);
    } else if constexpr (is_stored_list<T>::value) {
      out_.array(x.size());
      for (auto& item : x)
        value(item);
    } else {
      auto counter = field_counter{};
      stored_fields(counter, x);
      out_.map(counter.count);
      stored_fields(*this, x);
    }
  }

private:
  cbor_writer& out_;
};

/// Takes the value of one key, if it is one of the struct's.
class field_reader {
public:
  field_reader(cbor_reader& in, std::string_view key) : in_(in), key_(key) {
    // nop
  }

  template <class T>
  void operator()(std::string_view key, T& x) {
    if (found || key != key_)
      return;
    found = true;
    read(in_, x);
  }

  template <class T>
  static void read(cbor_reader& in, T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      x = in.yes();
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      read_number(in, x);
    } else if constexpr (std::is_same_v<T, caf::timespan>) {
      x = caf::timespan{static_cast<int64_t>(in.number())};
    } else if constexpr (std::is_same_v<T, std::string>) {
      x = in.text();
    } else if constexpr (is_stored_list<T>::value) {
      for (auto left = in.array(); left > 0 && in.good(); --left)
        read(in, x.emplace_back());
    } else {
      for (auto left = in.map(); left > 0 && in.good(); --left) {
        auto key = in.text();
        auto member = field_reader{in, key};
        stored_fields(member, x);
        if (!member.found)
          in.fail();
      }
    }
  }

  bool found = false;

private:
  template <class T>
  static void read_number(cbor_reader& in, T& x) {
    auto number = in.number();
    x = static_cast<T>(number);
    if (static_cast<uint64_t>(x) != number) // it was cut
      in.fail();
  }

  cbor_reader& in_;
  std::string_view key_;
};

} // namespace detail

/// The stored form of `x`.
template <class T>
std::string encode_fields(const T& x) {
  auto result = std::string{};
  auto out = cbor_writer{result};
  detail::field_writer{out}.value(const_cast<T&>(x)); // only looks
  return result;
}

/// What `encode_fields` wrote; `errc::storage` where the bytes are none.
template <class T>
caf::expected<T> decode_fields(std::string_view bytes) {
  auto in = cbor_reader{bytes};
  auto result = T{};
  detail::field_reader::read(in, result);
  if (!in.good() || !in.at_end())
    return make_error(errc::storage, "a stored record cannot be read", {},
                      "the store is damaged: restore a backup");
  return result;
}

} // namespace troupe
