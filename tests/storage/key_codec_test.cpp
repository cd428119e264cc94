#include "troupe/storage/key_codec.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace troupe;

namespace {

std::string encode(const session_key& key) {
  auto result = session_table_key(key);
  REQUIRE(result);
  return std::string{result->view()};
}

auto in_table_order(const session_key& key) {
  return std::tie(key.session_id, key.agent, key.actor_id);
}

// Names made of the bytes that an encoding gets wrong, if any.
std::string random_name(std::mt19937& random, size_t longest) {
  constexpr auto bytes = std::string_view{"\0\1\2\xfe\xff"
                                          "a",
                                          6};
  auto result = std::string(random() % (longest + 1), '\0');
  for (auto& byte : result)
    byte = bytes[random() % bytes.size()];
  return result;
}

} // namespace

TEST_CASE("record keys are ordered by session, then seq", "[storage]") {
  auto keys = std::vector<std::string>{};
  for (uint64_t number : {0ull, 1ull, 255ull, 256ull, 1ull << 40, ~0ull})
    for (uint64_t seq : {0ull, 1ull, 255ull, 256ull, 1ull << 40, ~0ull})
      keys.emplace_back(record_key(number, seq).view());
  CHECK(std::is_sorted(keys.begin(), keys.end()));
  CHECK(std::set<std::string>(keys.begin(), keys.end()).size() == keys.size());
}

TEST_CASE("session keys are ordered like their names", "[storage]") {
  auto random = std::mt19937{42};
  for (int i = 0; i < 20000; ++i) {
    auto x = session_key{random_name(random, 3), random_name(random, 3),
                         random_name(random, 3)};
    auto y = session_key{random_name(random, 3), random_name(random, 3),
                         random_name(random, 3)};
    auto names_less = in_table_order(x) < in_table_order(y);
    REQUIRE((encode(x) < encode(y)) == names_less);
    REQUIRE((encode(x) == encode(y)) == (x == y));
  }
}

TEST_CASE("session keys of any length fit and differ", "[storage]") {
  auto seen = std::set<std::string>{};
  auto count = size_t{0};
  for (size_t length : {0u, 150u, 156u, 157u, 158u, 160u, 161u, 511u, 60000u})
    for (char byte : {'a', '\0', '\xff'})
      for (int part = 0; part < 3 && (length > 0 || part + byte == 'a');
           ++part) {
        auto key = session_key{"x", "y", "z"};
        auto name = std::string(length, byte);
        (part == 0   ? key.agent
         : part == 1 ? key.session_id
                     : key.actor_id)
          = name;
        auto bytes = encode(key);
        CHECK(bytes.size() <= 511);
        seen.insert(bytes);
        ++count;
      }
  CHECK(seen.size() == count);
  auto long_name = std::string(60000, 'a');
  CHECK(encode({long_name, long_name, long_name}).size() <= 511);
}

TEST_CASE("a session key begins with the prefix of its session id only",
          "[storage]") {
  auto random = std::mt19937{7};
  for (int i = 0; i < 20000; ++i) {
    auto id = random_name(random, 3);
    auto other = random_name(random, 3);
    auto prefix = session_table_prefix(id);
    REQUIRE(prefix);
    auto key = encode({random_name(random, 3), other, "actor"});
    auto begins = key.compare(0, prefix->view().size(), prefix->view()) == 0;
    REQUIRE(begins == (id == other));
  }
}
