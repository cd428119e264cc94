#pragma once

#include "troupe/sandbox/conformance/support.hpp"

#include <algorithm>

namespace troupe::backend_conformance::file_cases {

inline void reads_what_was_written(const backend_factory& make) {
  auto on = open(make);
  auto text = std::string{"one\ntwo é\nthree\n"};
  auto written = value_of(on.files->write({"a.txt", text, {}}));
  expect(written.created, "a new file is told from an old one");
  expect(written.bytes == text.size(), "its bytes are counted");
  auto all = value_of(on.files->read({"a.txt", 1, 0}));
  expect_text(all.content, text);
  expect(all.total_lines == 3, "its lines are counted");
  expect(all.digest.size() == 64, "there is a digest");
  expect_text(all.digest, written.digest);
  auto part = value_of(on.files->read({"a.txt", 2, 1}));
  expect_text(part.content, "two é\n");
}

inline void makes_folders_for_a_file(const backend_factory& make) {
  auto on = open(make);
  write(on, "deep/er/a.txt", "a");
  expect_text(read(on, "deep/er/a.txt"), "a");
  auto entries = value_of(on.files->list({"deep"})).entries;
  expect(entries.size() == 1 && entries[0].name == "er"
           && entries[0].type == "directory",
         "the folder is listed");
}

inline void lists_and_finds(const backend_factory& make) {
  auto on = open(make);
  for (const auto* path : {"a.txt", "b.md", "sub/c.txt"})
    write(on, path, std::string{"in "} + path + "\n");
  auto entries = value_of(on.files->list({""})).entries;
  expect(entries.size() == 3, "a listing is of one folder");
  auto paths = value_of(on.files->glob({"**/*.txt", ""})).paths;
  std::sort(paths.begin(), paths.end());
  expect(paths == std::vector<std::string>{"a.txt", "sub/c.txt"},
         "a pattern finds files by their names");
  auto matches = value_of(on.files->grep({"^in (b|sub)", "", "", 0})).matches;
  expect(matches.size() == 2, "an expression finds lines");
}

inline void replaces_text(const backend_factory& make) {
  auto on = open(make);
  auto written = value_of(on.files->write({"a.txt", "x y x", {}}));
  auto known = file_precondition{written.digest};
  expect_refusal(on.files->replace({"a.txt", "x", "z", false, known}),
                 "replacing what is there twice");
  expect_refusal(on.files->replace({"a.txt", "no", "z", false, known}),
                 "replacing what is not there");
  auto done = value_of(on.files->replace({"a.txt", "x", "z", true, known}));
  expect(done.replacements == 2, "all are replaced");
  expect_text(read(on, "a.txt"), "z y z");
}

inline void says_what_is_missing(const backend_factory& make) {
  auto on = open(make);
  expect_refusal(on.files->read({"none.txt", 1, 0}), "reading no file");
  expect_refusal(on.files->list({"none"}), "listing no folder");
  write(on, "a.txt", "a");
  expect_refusal(on.files->read({"a.txt/b", 1, 0}), "reading in a file");
}

inline void keeps_to_its_limits(const backend_factory& make) {
  auto policy = sandbox_settings{};
  policy.limits.write = 100;
  policy.limits.read = 50;
  policy.limits.list = 5;
  auto on = open(make, policy);
  expect_refusal(on.files->write({"big.txt", std::string(101, 'x'), {}}),
                 "writing more than a file may have");
  write(on, "ten.txt",
        "123456789\n123456789\n123456789\n123456789\n123456789\n"
        "123456789\n123456789\n");
  auto part = on.files->read({"ten.txt", 1, 0});
  expect(!part || (part->truncated && part->content.size() <= 50),
         "no more is read than may be");
  for (auto i = 0; i < 9; ++i)
    write(on, std::to_string(i) + ".txt", "x");
  auto listed = value_of(on.files->list({""}));
  expect(listed.truncated && listed.entries.size() <= 5, "a listing is cut");
}

inline void keeps_paths_inside(const backend_factory& make) {
  auto on = open(make);
  write(on, "a.txt", "a");
  auto nul = std::string{"a\0.txt", 6};
  for (const auto& path :
       {std::string{"../a.txt"}, std::string{"../../etc/passwd"},
        std::string{"/etc/passwd"}, std::string{"x/../../a.txt"},
        std::string{"~/a"}, std::string{"file:///etc/passwd"},
        std::string{"workspace://none/a"}, nul}) {
    expect_refusal(on.files->read({path, 1, 0}), "reading " + path);
    expect_refusal(on.files->list({path}), "listing " + path);
    expect_refusal(on.files->write({path, "x", {}}), "writing " + path);
    expect_refusal(on.files->replace({path, "a", "b", true, {}}),
                   "replacing in " + path);
  }
  expect_text(read(on, "a.txt"), "a");
}

inline void writes_nothing_that_is_read_only(const backend_factory& make) {
  auto policy = sandbox_settings{};
  policy.files["source"] = file_access::read_only;
  auto on = open(make, policy);
  write(on, "a.txt", "a");
  expect_refusal(on.files->write({"workspace://source/b.txt", "b", {}}),
                 "writing what is read-only");
  expect_refusal(on.files->write({"src/b.txt", "b", {}}),
                 "writing it by its other name");
}

inline backend_cases all() {
  return {
    {"files", "reads what was written", reads_what_was_written, {}},
    {"files", "makes the folders of a file", makes_folders_for_a_file, {}},
    {"files", "lists folders, finds names and lines", lists_and_finds, {}},
    {"files", "replaces text", replaces_text, {}},
    {"files", "says what is missing", says_what_is_missing, {}},
    {"files", "keeps to the limits of its policy", keeps_to_its_limits, {}},
    {"paths", "keeps every path inside", keeps_paths_inside, {}},
    {"paths", "writes nothing that is read-only",
     writes_nothing_that_is_read_only, has_named_paths},
  };
}

} // namespace troupe::backend_conformance::file_cases
