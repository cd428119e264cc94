#include "troupe/storage/record_codec.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

#include <random>
#include <string>

using namespace troupe;

namespace {

template <class Codec>
std::string encode(const typename Codec::value_type& value) {
  auto result = std::string(Codec::size(value), '?');
  Codec::write(value, result.data());
  return result;
}

template <class T>
std::string message_of(const caf::expected<T>& outcome) {
  REQUIRE_FALSE(outcome);
  auto what = to_fault(outcome.error());
  CHECK(what.kind == errc::storage);
  CHECK_FALSE(what.hint.empty());
  return what.message;
}

session_head some_head() {
  return {7, 9, 5, -1, INT64_MAX, pack_names({"agent", "", "actor"})};
}

} // namespace

TEST_CASE("the head of a session reads back as written", "[storage]") {
  auto head = session_head_codec::read(encode<session_head_codec>(some_head()));
  REQUIRE(head);
  CHECK(head->number == 7);
  CHECK(head->records == 9);
  CHECK(head->messages == 5);
  CHECK(head->created_at == -1);
  CHECK(head->updated_at == INT64_MAX);
  auto names = unpack_names(head->names);
  REQUIRE(names);
  CHECK(*names == session_key{"agent", "", "actor"});
}

TEST_CASE("a record reads back as written", "[storage]") {
  auto record = stored_record{record_kind::state, body_place::blob, 42, "x"};
  auto bytes = encode<record_codec>(record);
  auto copy = record_codec::read(bytes);
  REQUIRE(copy);
  CHECK(copy->kind == record_kind::state);
  CHECK(copy->place == body_place::blob);
  CHECK(copy->at == 42);
  CHECK(copy->content == "x");
}

TEST_CASE("a version that is not known is refused by its number", "[storage]") {
  auto record = encode<record_codec>({});
  record[0] = 9;
  CHECK(message_of(record_codec::read(record))
        == "a record has version 9, this troupe knows 1");
  auto head = encode<session_head_codec>(some_head());
  head[0] = '\xff';
  CHECK(message_of(session_head_codec::read(head))
        == "a session has version 255, this troupe knows 1");
}

TEST_CASE("damaged values are refused", "[storage]") {
  auto zeros = std::string(100, '\0');
  message_of(record_codec::read(zeros));
  message_of(session_head_codec::read(zeros));
  message_of(blob_uses_codec::read("1234567"));
  message_of(counter_codec::read("123456789"));
  message_of(unpack_blob_reference(std::string(39, 'x')));
  message_of(unpack_names(std::string(8, '\xff')));
  message_of(unpack_names(pack_names({"a", "b", "c"}) + "d"));
  auto longer = std::string(largest_inlined + 1, 'x');
  message_of(record_codec::read(encode<record_codec>(
    {record_kind::message, body_place::inlined, 0, longer})));
  auto record = encode<record_codec>({});
  record[1] = 3;
  message_of(record_codec::read(record));
  record[1] = 1;
  record[2] = 3;
  message_of(record_codec::read(record));
}

TEST_CASE("no cut of a value is read beyond its end", "[storage]") {
  auto head = encode<session_head_codec>(some_head());
  auto record = encode<record_codec>({});
  auto names = some_head().names;
  for (size_t size = 0; size < head.size(); ++size) {
    // A copy of its own, so that a sanitizer sees what is beyond.
    auto cut = std::string{head.substr(0, size)};
    auto result = session_head_codec::read(cut);
    CHECK((!result || !unpack_names(result->names)));
  }
  for (size_t size = 0; size < record.size(); ++size)
    CHECK_FALSE(record_codec::read(std::string{record.substr(0, size)}));
  for (size_t size = 0; size < names.size(); ++size)
    CHECK_FALSE(unpack_names(std::string{names.substr(0, size)}));
}

TEST_CASE("random bytes never crash a codec", "[storage]") {
  auto random = std::mt19937{1};
  for (int i = 0; i < 20000; ++i) {
    auto bytes = std::string(random() % 64, '\0');
    for (auto& byte : bytes)
      byte = static_cast<char>(random() % 4 == 0 ? random() : 1);
    if (auto head = session_head_codec::read(bytes))
      unpack_names(head->names);
    record_codec::read(bytes);
    unpack_names(bytes);
    unpack_blob_reference(bytes);
  }
}
