#pragma once

#include "support/append_all.hpp"
#include "support/catch.hpp"

#include "troupe/storage/store.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

inline session_record message_at(int64_t at, std::string body = "body") {
  return {0, record_kind::message, at, std::move(body)};
}

/// Appends one message to `key`, and requires that it worked.
inline void append_message(store& store, const session_key& key, int64_t at,
                           std::string body = "body") {
  auto batch
    = std::vector{session_append{key, {message_at(at, std::move(body))}}};
  auto why = append_all(store, batch);
  REQUIRE_FALSE(why);
}

/// All records of `key`, loaded two at a time.
inline std::vector<session_record> load_all(store& store,
                                            const session_key& key) {
  auto result = std::vector<session_record>{};
  for (;;) {
    auto page = store.load(key, result.size(), 2);
    REQUIRE(page);
    if (page->empty())
      return result;
    for (auto& record : *page)
      result.push_back(std::move(record));
  }
}

/// Every session, or those of one id.
inline std::vector<session_summary> list_all(store& store,
                                             const std::string& id = {}) {
  auto result = store.list(id);
  REQUIRE(result);
  return std::move(*result);
}

/// How many sessions the call removed.
inline uint64_t erase_session(store& store, const session_key& key) {
  auto result = store.erase(key);
  REQUIRE(result);
  return *result;
}

} // namespace troupe::test
