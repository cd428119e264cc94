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

TEST_CASE("queued runs are ordered by when they are due, then by id",
          "[storage]") {
  auto random = std::mt19937_64{3};
  auto times = std::vector<int64_t>{INT64_MIN, -1, 0, 1, INT64_MAX};
  auto make = [&] {
    auto due = times[random() % times.size()];
    return due_run{random() % 2 == 0 ? due : static_cast<int64_t>(random()),
                   "r" + std::to_string(random() % 3)};
  };
  auto queue = std::string{"q\0", 2};
  auto prefix = std::string{run_due_prefix(queue)->view()};
  for (int i = 0; i < 20000; ++i) {
    auto x = make();
    auto y = make();
    auto x_key = run_due_key(x.due, x.run_id);
    auto y_key = run_due_key(y.due, y.run_id);
    REQUIRE((x_key.view() < y_key.view())
            == (std::tie(x.due, x.run_id) < std::tie(y.due, y.run_id)));
    auto in_queue = std::string{run_due_key(queue, x.due, x.run_id)->view()};
    REQUIRE(in_queue.compare(0, prefix.size(), prefix) == 0);
    auto back = read_due_run(std::string_view{in_queue}.substr(prefix.size()));
    REQUIRE(back);
    REQUIRE(back->due == x.due);
    REQUIRE(back->run_id == x.run_id);
  }
}

TEST_CASE("the keys of queued runs fit, and no queue has another's",
          "[storage]") {
  auto id = std::string(longest_run_id, 'r');
  for (const auto& queue :
       {std::string{}, std::string(160, '\0'), std::string(60000, 'q')})
    CHECK(run_due_key(queue, INT64_MAX, id)->view().size() <= 400);
  auto random = std::mt19937{9};
  for (int i = 0; i < 20000; ++i) {
    auto x = random_name(random, 3);
    auto y = random_name(random, 3);
    auto prefix = std::string{run_due_prefix(x)->view()};
    auto key = std::string{run_due_key(y, 5, "run")->view()};
    REQUIRE((key.compare(0, prefix.size(), prefix) == 0) == (x == y));
  }
  CHECK_FALSE(read_due_run(""));
  CHECK_FALSE(read_due_run("12345678"));
  CHECK_FALSE(read_due_run(std::string(8 + longest_run_id + 1, 'x')));
}

TEST_CASE("what a run has is ordered by its name", "[storage]") {
  auto random = std::mt19937{10};
  for (int i = 0; i < 20000; ++i) {
    auto x = random_name(random, 3);
    auto y = random_name(random, 3);
    REQUIRE((run_part_key(7, x).view() < run_part_key(7, y).view()) == (x < y));
    REQUIRE(run_part_key(7, x).view() < run_part_key(8, y).view());
  }
  auto longest = std::string(longest_part_name, 'x');
  CHECK(run_part_key(1, longest).view().size() == longest_part_name + 8);
}
