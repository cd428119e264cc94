#pragma once

#include "troupe/storage/conformance/support.hpp"

namespace troupe::conformance {

/// Events, values and artifacts: what a run has.
namespace part_cases {

inline void keeps_events_in_order(const store_factory& make) {
  auto it = make();
  auto entry = begin_of("r");
  entry.events = {{1, 5, "a"}, {2, 6, std::string(100000, 'b')}};
  commit_well(*it, entry);
  commit_well(*it, event_of("r", 3, std::string(2, '\0')));
  auto events = value_of(it->load_events("r", 0, 9));
  expect_equal(events.size(), 3u, "the count of events");
  for (size_t i = 0; i < events.size(); ++i)
    expect_equal(events[i].seq, uint64_t{i + 1}, "the seq of an event");
  expect_equal(events[0].at, 5, "the time of the first");
  expect_equal(events[1].body.size(), 100000u, "the size of the second");
  expect(events[2].body == std::string(2, '\0'), "any bytes come back");
  expect_equal(found_in(it->find_run("r")).events, 3u, "the count in the head");
}

inline void loads_events_in_pages(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  for (uint64_t i = 1; i <= 5; ++i)
    commit_well(*it, event_of("r", i));
  auto count = [&](uint64_t after, size_t max) {
    return value_of(it->load_events("r", after, max)).size();
  };
  expect_equal(count(0, 2), 2u, "a first page");
  expect_equal(count(3, 9), 2u, "a last page");
  expect_equal(value_of(it->load_events("r", 3, 1)).at(0).seq, 4u, "its seq");
  expect_equal(count(5, 9), 0u, "a page behind the end");
  expect_equal(count(UINT64_MAX, SIZE_MAX), 0u, "one far behind the end");
  expect_equal(count(0, 0), 0u, "a page of none");
}

inline void refuses_events_out_of_order(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  commit_well(*it, event_of("r", 1));
  for (uint64_t seq : {uint64_t{0}, uint64_t{1}, uint64_t{3}, UINT64_MAX}) {
    auto entry = event_of("r", seq);
    expect(commit(*it, entry) == commit_refusal::out_of_order,
           "one that does not follow is refused");
  }
  auto gap = event_of("r", 2);
  gap.events.push_back({4, 4, "gap"});
  gap.values = {{"v", 1, "value"}};
  expect(commit(*it, gap) == commit_refusal::out_of_order, "so is a gap");
  expect_equal(value_of(it->load_events("r", 0, 9)).size(), 1u,
               "the count of events");
  expect(value_of(it->load_values("r", "")).empty(), "nothing of it is there");
  auto first = begin_of("q");
  first.events = {{2, 1, "event"}};
  expect(commit(*it, first) == commit_refusal::out_of_order,
         "the first event is number one");
  expect(!value_of(it->find_run("q")), "the run has not begun");
  commit_well(*it, event_of("r", 2));
}

inline void keeps_named_values(const store_factory& make) {
  auto it = make();
  auto entry = begin_of("r");
  auto large = std::string(100000, 'x');
  entry.values = {{"checkpoint/b", 2, "b"},
                  {"checkpoint/a", 1, large},
                  {"checkpoint", 3, ""},
                  {"decision/1", 4, std::string(1, '\0')},
                  {std::string(400, 'n'), 5, "long"},
                  {std::string{"\0z", 2}, 6, "zero"},
                  {"", 7, "empty"}};
  commit_well(*it, entry);
  begin(*it, "q");
  auto names = ids{};
  for (const auto& x : value_of(it->load_values("r", "")))
    names.push_back(x.name);
  expect(names
           == ids{"", std::string{"\0z", 2}, "checkpoint", "checkpoint/a",
                  "checkpoint/b", "decision/1", std::string(400, 'n')},
         "all are loaded in order of their names");
  auto some = value_of(it->load_values("r", "checkpoint/"));
  expect_equal(some.size(), 2u, "the count with the prefix");
  expect_equal(some[0].name, "checkpoint/a", "the first with the prefix");
  expect(some[0].body == large, "the large one comes back");
  expect_equal(some[1].at, 2, "the time of the second");
  expect(value_of(it->load_values("r", "zzz")).empty(), "none has that prefix");
  expect(value_of(it->load_values("r", std::string(500, 'n'))).empty(),
         "nor one that is longer than names are");
  expect(value_of(it->load_values("q", "")).empty(), "another run has none");
}

inline void replaces_values(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  for (const auto& body :
       {std::string{"first"}, std::string(100000, 'x'), std::string{"last"}}) {
    auto entry = entry_of("r");
    entry.values = {{"v", 1, "before"}, {"v", 2, body}};
    commit_well(*it, entry);
    auto found = value_of(it->load_values("r", "v"));
    expect_equal(found.size(), 1u, "the count of values");
    expect(found[0].body == body, "the last one counts");
    expect_equal(found[0].at, 2, "its time");
  }
}

inline void keeps_artifacts(const store_factory& make) {
  auto it = make();
  auto entry = begin_of("r");
  auto large = std::string(3 << 20, 'x');
  entry.artifacts = {{"out/b.txt", "text/plain", 2, 99, "small"},
                     {"out/a.bin", "", 1, 0, large},
                     {"empty", "text/plain", 3, 0, ""}};
  commit_well(*it, entry);
  auto listed = value_of(it->list_artifacts("r"));
  expect_equal(listed.size(), 3u, "the count of artifacts");
  expect_equal(listed[0].name, "empty", "the first");
  expect_equal(listed[1].name, "out/a.bin", "the second");
  expect_equal(listed[1].size, uint64_t{large.size()}, "its size");
  expect(listed[1].content.empty(), "the list is without contents");
  auto found = found_in(it->load_artifact("r", "out/b.txt"));
  expect_equal(found.name, "out/b.txt", "the name");
  expect_equal(found.media_type, "text/plain", "the media type");
  expect_equal(found.at, 2, "the time");
  expect_equal(found.size, 5u, "the size");
  expect_equal(found.content, "small", "the content");
  expect(found_in(it->load_artifact("r", "out/a.bin")).content == large,
         "the large one comes back");
  expect_equal(found_in(it->load_artifact("r", "empty")).size, 0u,
               "the size of the empty one");
  expect(!value_of(it->load_artifact("r", "none")), "there is no other");
  expect(!value_of(it->load_artifact("r", std::string(900, 'x'))),
         "nor one with an endless name");
  expect(!value_of(it->load_artifact("q", "empty")), "nor one of another run");
}

inline void shares_contents_of_artifacts(const store_factory& make) {
  auto it = make();
  auto large = std::string(100000, 'x');
  for (auto id : {"q", "r"}) {
    auto entry = begin_of(id);
    entry.artifacts = {{"a", "", 1, 0, large}, {"b", "", 1, 0, large}};
    entry.values = {{"v", 1, large}};
    commit_well(*it, entry);
  }
  auto entry = entry_of("r");
  entry.artifacts = {{"a", "text/html", 2, 0, "other"}};
  commit_well(*it, entry);
  auto replaced = found_in(it->load_artifact("r", "a"));
  expect_equal(replaced.content, "other", "the new content");
  expect_equal(replaced.media_type, "text/html", "the new media type");
  expect(found_in(it->load_artifact("r", "b")).content == large,
         "the same content under another name stays");
  change(*it, "r", run_status::completed);
  expect(value_of(it->erase_run("r")), "erased");
  expect(found_in(it->load_artifact("q", "a")).content == large,
         "and that of another run");
  expect(value_of(it->load_values("q", "v")).at(0).body == large,
         "and the same bytes as a value");
}

inline store_cases all() {
  return {
    {"events", "keeps events in order", keeps_events_in_order},
    {"events", "loads events in pages", loads_events_in_pages},
    {"events", "refuses events out of order", refuses_events_out_of_order},
    {"values", "keeps named values", keeps_named_values},
    {"values", "replaces values", replaces_values},
    {"artifacts", "keeps artifacts", keeps_artifacts},
    {"artifacts", "shares contents of artifacts", shares_contents_of_artifacts},
  };
}

} // namespace part_cases

} // namespace troupe::conformance
