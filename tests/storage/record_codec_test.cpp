#include "troupe/storage/record_codec.hpp"

#include "storage/codec_testing.hpp"

#include <string>

using namespace troupe;
using test::encode;
using test::message_of;

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
        == "a record has version 9, this troupe knows 2");
}

TEST_CASE("a record with blobs reads back as written", "[storage]") {
  auto digest = sha256_digest{};
  digest.fill('d');
  auto packed = pack_blob_reference({digest, 7});
  packed += pack_blob_reference({digest, 1u << 30});
  auto bytes = encode<record_codec>(
    {record_kind::message, body_place::inlined, 42, "body", packed});
  auto copy = record_codec::read(bytes);
  REQUIRE(copy);
  CHECK(copy->content == "body");
  CHECK(copy->at == 42);
  auto blobs = unpack_blob_references(copy->blobs);
  REQUIRE(blobs);
  REQUIRE(blobs->size() == 2);
  CHECK((*blobs)[1].size == 1u << 30);
  CHECK(describe_blob((*blobs)[0]).digest.size() == 64);
  CHECK(reference_of(describe_blob((*blobs)[0]))->digest == digest);
  for (size_t size = 0; size < bytes.size() - 4; ++size)
    CHECK_FALSE(record_codec::read(std::string{bytes.substr(0, size)}));
}

TEST_CASE("a record that claims more blobs than it has is refused",
          "[storage]") {
  auto packed = pack_blob_reference({{}, 7});
  auto bytes = encode<record_codec>(
    {record_kind::message, body_place::inlined, 0, {}, packed});
  for (auto count : {0, 2, 255}) {
    bytes[15] = static_cast<char>(count);
    message_of(record_codec::read(bytes));
  }
  message_of(reference_of({std::string(64, 'G'), 1, nullptr}));
  message_of(reference_of({"ab", 1, nullptr}));
}

TEST_CASE("damaged values are refused", "[storage]") {
  auto zeros = std::string(100, '\0');
  message_of(record_codec::read(zeros));
  message_of(blob_uses_codec::read("1234567"));
  message_of(counter_codec::read("123456789"));
  message_of(unpack_blob_reference(std::string(39, 'x')));
  auto longer = std::string(largest_inlined + 1, 'x');
  message_of(record_codec::read(encode<record_codec>(
    {record_kind::message, body_place::inlined, 0, longer})));
  auto record = encode<record_codec>({});
  record[1] = 5;
  message_of(record_codec::read(record));
  record[1] = 1;
  record[2] = 3;
  message_of(record_codec::read(record));
}

TEST_CASE("no cut of a value is read beyond its end", "[storage]") {
  auto record = encode<record_codec>({});
  for (size_t size = 0; size < record.size(); ++size)
    CHECK_FALSE(record_codec::read(std::string{record.substr(0, size)}));
}

TEST_CASE("random bytes never crash a codec", "[storage]") {
  auto random = std::mt19937{1};
  for (int i = 0; i < 20000; ++i) {
    auto bytes = test::random_bytes(random, 64);
    record_codec::read(bytes);
    unpack_blob_reference(bytes);
  }
}
