#pragma once

#include "troupe/storage/conformance/support.hpp"

namespace troupe::conformance {

namespace blob_cases {

inline stored_blob blob_of(std::string bytes) {
  return {{}, 0, std::make_shared<const std::string>(std::move(bytes))};
}

inline store_commit append_with(const session_key& key,
                                std::vector<std::string> contents) {
  auto result = append_of(key, 1);
  for (auto& one : contents)
    result.sessions[0].records[0].blobs.push_back(blob_of(std::move(one)));
  return result;
}

/// The bytes of a blob, which must be there.
inline std::string bytes_of(store& from, const stored_blob& blob,
                            const where& at = where::current()) {
  auto found = value_of(from.load_blob(blob), at);
  expect(found != nullptr, "the blob is there", at);
  return *found;
}

inline bool is_there(store& from, const stored_blob& blob,
                     const where& at = where::current()) {
  return value_of(from.load_blob(blob), at) != nullptr;
}

inline void keeps_blobs_of_records(const store_factory& make) {
  auto it = make();
  auto key = key_of("s");
  auto large = std::string(3 << 20, 'x');
  auto zeros = std::string(3, '\0');
  commit_well(*it, append_with(key, {large, zeros, "", large}));
  append(*it, key, 2, "without any");
  auto records = load_all(*it, key);
  expect_equal(records[1].blobs.size(), 0u, "the blobs of the second");
  const auto& blobs = records[0].blobs;
  expect_equal(blobs.size(), 4u, "the count of blobs");
  expect_equal(blobs[0].size, uint64_t{large.size()}, "the size of the first");
  expect_equal(blobs[2].digest,
               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852"
               "b855",
               "the digest of no bytes");
  expect_equal(blobs[3].digest, blobs[0].digest, "the digest of the same");
  for (const auto& one : blobs)
    expect(one.bytes == nullptr, "a record is loaded without the bytes");
  expect(bytes_of(*it, blobs[0]) == large, "the large one comes back");
  expect(bytes_of(*it, blobs[1]) == zeros, "so do zeros");
  expect(bytes_of(*it, blobs[2]).empty(), "and nothing at all");
}

inline void keeps_blobs_beside_large_bodies(const store_factory& make) {
  auto it = make();
  auto body = std::string(100000, 'b');
  auto entry = append_with(key_of("s"), {body, "other"});
  entry.sessions[0].records[0].body = body;
  commit_well(*it, std::move(entry)); // what we have may well be found
  auto records = load_all(*it, key_of("s"));
  expect(records[0].body == body, "the body comes back");
  expect(bytes_of(*it, records[0].blobs[0]) == body, "and a blob like it");
  expect_equal(value_of(it->erase(key_of("s"))), 1u, "the count of erased");
  expect(!is_there(*it, records[0].blobs[0]), "both go with the session");
}

inline void keeps_a_blob_as_long_as_a_record_has_it(const store_factory& make) {
  auto it = make();
  commit_well(*it, append_with(key_of("a"), {"image", "image"}));
  commit_well(*it, append_with(key_of("b"), {"image"}));
  auto blob = load_all(*it, key_of("b"))[0].blobs[0];
  expect_equal(value_of(it->erase(key_of("a"))), 1u, "the first goes");
  expect_equal(bytes_of(*it, blob), "image", "what the second has");
  expect_equal(value_of(it->erase(key_of("b"))), 1u, "the second goes");
  expect(!is_there(*it, blob), "the blob goes with the last");
  commit_well(*it, append_with(key_of("c"), {"image"}));
  expect_equal(bytes_of(*it, blob), "image", "what came again");
}

inline void forks_share_blobs(const store_factory& make) {
  auto it = make();
  commit_well(*it, append_with(key_of("parent"), {"image"}));
  commit_well(*it, append_with(key_of("parent"), {"later"}));
  auto records = load_all(*it, key_of("parent"));
  auto shared = records[0].blobs[0];
  auto later = records[1].blobs[0];
  expect(value_of(it->fork(key_of("parent"), 1, key_of("fork"), 1)), "forked");
  expect_equal(load_all(*it, key_of("fork"))[0].blobs[0].digest, shared.digest,
               "what the fork has");
  expect_equal(value_of(it->erase(key_of("parent"))), 1u, "the parent goes");
  expect_equal(bytes_of(*it, shared), "image", "what the fork shares");
  expect(!is_there(*it, later), "what it does not share is gone");
  expect_equal(value_of(it->erase(key_of("fork"))), 1u, "the fork goes");
  expect(!is_there(*it, shared), "and the blob with it");
}

inline void values_have_blobs(const store_factory& make) {
  auto it = make();
  auto entry = begin_of("r");
  entry.values = {{"attachments", 1, "names", {blob_of("first")}}};
  commit_well(*it, std::move(entry));
  auto before = value_of(it->load_values("r", "")).at(0).blobs.at(0);
  expect(before.bytes == nullptr, "a value is loaded without the bytes");
  expect_equal(bytes_of(*it, before), "first", "its blob");
  auto again = entry_of("r");
  again.values = {{"attachments", 2, "names", {blob_of("second")}}};
  commit_well(*it, std::move(again));
  auto after = value_of(it->load_values("r", "")).at(0).blobs.at(0);
  expect(!is_there(*it, before), "what was replaced is gone");
  expect_equal(bytes_of(*it, after), "second", "the new blob");
  change(*it, "r", run_status::completed);
  expect(value_of(it->erase_run("r")), "the run goes");
  expect(!is_there(*it, after), "and its blob with it");
}

inline void refuses_blobs_without_bytes(const store_factory& make) {
  auto it = make();
  auto entry = append_of(key_of("s"), 1);
  entry.sessions[0].records[0].blobs.resize(1);
  auto batch = std::vector<store_commit>{entry};
  expect(static_cast<bool>(it->commit(batch)), "it is an error");
  expect(load_all(*it, key_of("s")).empty(), "nothing was stored");
}

inline store_cases all() {
  return {
    {"blobs", "keeps blobs of records", keeps_blobs_of_records},
    {"blobs", "keeps blobs beside large bodies",
     keeps_blobs_beside_large_bodies},
    {"blobs", "keeps a blob as long as a record has it",
     keeps_a_blob_as_long_as_a_record_has_it},
    {"blobs", "lets forks share blobs", forks_share_blobs},
    {"blobs", "keeps blobs of values", values_have_blobs},
    {"blobs", "refuses blobs without bytes", refuses_blobs_without_bytes},
  };
}

} // namespace blob_cases

} // namespace troupe::conformance
