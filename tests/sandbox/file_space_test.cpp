#include "troupe/sandbox/file_space.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "sandbox/spaces.hpp"

#include <filesystem>

#include <sys/stat.h>

using namespace troupe;
using test::disk_space;
using test::message_of;
namespace fs = std::filesystem;

TEST_CASE("a file space reads lines of what it wrote", "[file_space]") {
  auto x = test::any_space();
  auto wrote = x->write({"src/a.txt", "one\ntwo\nthree\n", {}});
  REQUIRE(wrote);
  CHECK(wrote->bytes == 14);
  CHECK(wrote->created);
  CHECK(wrote->canonical == "src/a.txt");
  auto all = x->read({"./src//a.txt"});
  REQUIRE(all);
  CHECK(all->content == "one\ntwo\nthree\n");
  CHECK(all->total_lines == 3);
  CHECK_FALSE(all->truncated);
  CHECK(all->canonical == "src/a.txt");
  CHECK(all->digest == wrote->digest);
  CHECK(all->digest.size() == 64);
  auto some = x->read({"src/a.txt", 2, 1});
  REQUIRE(some);
  CHECK(some->content == "two\n");
  CHECK(some->total_lines == 3);
  CHECK(some->digest == all->digest);
  auto none = x->read({"src/a.txt", 9, 0});
  REQUIRE(none);
  CHECK(none->content.empty());
}

TEST_CASE("a digest is SHA-256", "[file_space]") {
  auto x = test::any_space();
  REQUIRE(x->write({"abc", "abc", {}}));
  CHECK(x->read({"abc"})->digest
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a file space explains what it cannot read", "[file_space]") {
  auto x = test::any_space();
  REQUIRE(x->write({"d/f", "x", {}}));
  CHECK(message_of(x->read({"none"})) == "\"none\" does not exist");
  CHECK(message_of(x->read({"d"})) == "\"d\" is a directory");
  CHECK(message_of(x->read({""})) == "\".\" is a directory");
  CHECK(message_of(x->read({"d/f/g"}))
        == "\"d/f/g\" is not a directory, or leads through a file");
  CHECK(message_of(x->list({"d/f"}))
        == "\"d/f\" is not a directory, or leads through a file");
  CHECK(message_of(x->read({"workspace://other/f"}))
        == "\"other\" is no workspace path that tools see: root");
  CHECK(test::kind_of(x->read({"none"})) == errc::tool);
}

TEST_CASE("a binary file is refused with a sentence", "[file_space]") {
  auto x = test::any_space();
  REQUIRE(x->write({"b", std::string{"a\0b", 3}, {}}));
  CHECK(message_of(x->read({"b"})) == "\"b\" is a binary file");
  auto late = std::string(9000, 'a') + std::string(1, '\0');
  REQUIRE(x->write({"late", late, {}}));
  CHECK(x->read({"late"}));
}

TEST_CASE("a result is valid UTF-8 whatever the file holds", "[file_space]") {
  auto x = test::any_space();
  REQUIRE(x->write({"latin", "caf\xE9\n", {}}));
  CHECK(x->read({"latin"})->content == "caf\uFFFD\n");
  REQUIRE(x->write({"na\xEFve", "x", {}}));
  CHECK(x->list({""})->entries.back().name == "na\uFFFDve");
  CHECK(x->glob({"na*", ""})->paths.front() == "na\uFFFDve");
}

TEST_CASE("a read is cut at its limit", "[file_space]") {
  auto limits = sandbox_limits{};
  limits.read = 10;
  auto x = test::any_space(limits);
  REQUIRE(x->write({"a", "one\ntwo\nthree\n", {}}));
  auto all = x->read({"a"});
  REQUIRE(all);
  CHECK(all->content == "one\ntwo\n");
  CHECK(all->truncated);
  CHECK(all->total_lines == 3);
  CHECK(x->read({"a", 3, 0})->content == "three\n");
}

TEST_CASE("sizes are limited", "[file_space]") {
  auto limits = sandbox_limits{};
  limits.write = 10;
  limits.file = 12;
  auto x = test::any_space(limits);
  CHECK(message_of(x->write({"a", std::string(11, 'a'), {}}))
        == "11 bytes for \"a\" are too many: at most 10 are written at once");
  auto wrote = x->write({"a", "aaaaaaaaaa", {}});
  REQUIRE(wrote);
  auto known = file_precondition{wrote->digest};
  auto grown = x->replace({"a", "a", "bbbb", true, known});
  CHECK(message_of(grown) == "a would exceed the limit of 12 bytes for a file");
}

TEST_CASE("a file larger than the limit is not read", "[file_space]") {
  auto limits = sandbox_limits{};
  limits.file = 5;
  auto x = disk_space{limits};
  x.dir.write("big", "123456");
  CHECK(message_of(x->read({"big"}))
        == "\"big\" has more than the 5 bytes that a file may have here");
}

TEST_CASE("a listing is sorted and says what is what", "[file_space]") {
  auto x = test::any_space();
  REQUIRE(x->write({"b.txt", "12345", {}}));
  REQUIRE(x->write({"a/x", "", {}}));
  REQUIRE(x->write({"a-b", "", {}}));
  auto all = x->list({""});
  REQUIRE(all);
  REQUIRE(all->entries.size() == 3);
  CHECK(all->entries[0].name == "a");
  CHECK(all->entries[0].type == "directory");
  CHECK(all->entries[1].name == "a-b");
  CHECK(all->entries[2].name == "b.txt");
  CHECK(all->entries[2].type == "file");
  CHECK(all->entries[2].bytes == 5);
  CHECK(x->list({"a"})->entries.front().name == "x");
}

TEST_CASE("a listing stops at its cap", "[file_space]") {
  auto limits = sandbox_limits{};
  limits.list = 3;
  auto x = test::any_space(limits);
  for (auto name : {"a", "b", "c"})
    REQUIRE(x->write({name, "", {}}));
  CHECK_FALSE(x->list({""})->truncated);
  REQUIRE(x->write({"d", "", {}}));
  CHECK(x->list({""})->truncated);
  CHECK(x->list({""})->entries.size() == 3);
}

TEST_CASE("a file on disk is overwritten only by who has read it",
          "[file_space]") {
  auto x = disk_space{};
  x.dir.write("a.txt", "old");
  CHECK(message_of(x->write({"a.txt", "new", {}}))
        == "read a.txt before overwriting it");
  CHECK(message_of(x->replace({"a.txt", "old", "new", false, {}}))
        == "read a.txt before overwriting it");
  auto known = file_precondition{x->read({"a.txt"})->digest};
  x.dir.write("a.txt", "changed");
  CHECK(message_of(x->write({"a.txt", "new", known}))
        == "stale: a.txt changed since you read it");
  CHECK(message_of(x->replace({"a.txt", "changed", "new", false, known}))
        == "stale: a.txt changed since you read it");
  CHECK(x.dir.read("a.txt") == "changed");
  known.digest = x->read({"a.txt"})->digest;
  auto wrote = x->write({"a.txt", "new", known});
  REQUIRE(wrote);
  CHECK_FALSE(wrote->created);
  CHECK(x.dir.read("a.txt") == "new");
  auto replaced = x->replace({"a.txt", "new", "newer", false, {wrote->digest}});
  REQUIRE(replaced);
  CHECK(replaced->digest == x->read({"a.txt"})->digest);
  CHECK(x.dir.read("a.txt") == "newer");
}

TEST_CASE("a file in memory is overwritten freely", "[file_space]") {
  auto x = make_memory_file_space({});
  REQUIRE(x->write({"a", "old", {}}));
  auto wrote = x->write({"a", "new", {}});
  REQUIRE(wrote);
  CHECK_FALSE(wrote->created);
  CHECK(x->replace({"a", "new", "newer", false, {}}));
  CHECK(x->read({"a"})->content == "newer");
}

TEST_CASE("files in memory are bounded in all", "[file_space]") {
  auto limits = sandbox_limits{};
  limits.tmp = 1000;
  auto x = make_memory_file_space(limits);
  auto count = 0;
  while (x->write({"f" + std::to_string(count), "", {}}))
    REQUIRE(++count < 100);
  CHECK(count > 0);
  CHECK(message_of(x->write({"more", "x", {}}))
        == "the files in memory would exceed 1000 bytes");
  CHECK(x->write({"f0", "", {}}));
}

TEST_CASE("replacing wants exactly one place, or all", "[file_space]") {
  auto x = make_memory_file_space({});
  REQUIRE(x->write({"a", "foo bar foo", {}}));
  CHECK(message_of(x->replace({"a", "baz", "x", false, {}}))
        == "old_text was not found in a: it must match exactly");
  CHECK(message_of(x->replace({"a", "foo", "x", false, {}}))
        == "old_text occurs 2 times in a: quote more of it, or set all");
  CHECK(message_of(x->replace({"a", "", "x", false, {}}))
        == "old_text is empty: quote the text to replace");
  CHECK(message_of(x->replace({"a", "foo", "foo", true, {}}))
        == "old_text and new_text are the same");
  CHECK(x->replace({"a", "bar", "", false, {}})->replacements == 1);
  CHECK(x->read({"a"})->content == "foo  foo");
  CHECK(x->replace({"a", "foo", "foofoo", true, {}})->replacements == 2);
  CHECK(x->read({"a"})->content == "foofoo  foofoo");
}

TEST_CASE("a write keeps the mode of the file and follows the umask",
          "[file_space]") {
  auto x = disk_space{};
  x.dir.write("a.sh", "old");
  fs::permissions(x.dir.path() / "a.sh", fs::perms{0750});
  auto known = file_precondition{x->read({"a.sh"})->digest};
  REQUIRE(x->write({"a.sh", "new", known}));
  CHECK(fs::status(x.dir.path() / "a.sh").permissions() == fs::perms{0750});
  auto mask = ::umask(027);
  REQUIRE(x->write({"deep/new.txt", "x", {}}));
  ::umask(mask);
  CHECK(fs::status(x.dir.path() / "deep/new.txt").permissions()
        == fs::perms{0640});
}

TEST_CASE("a failed or finished write leaves no temporary file",
          "[file_space]") {
  auto x = disk_space{};
  x.dir.write("a", "old");
  CHECK_FALSE(x->write({"a", "new", {}}));
  REQUIRE(x->write({"b", "new", {}}));
  auto known = file_precondition{x->read({"a"})->digest};
  REQUIRE(x->write({"a", "new", known}));
  CHECK(x->list({""})->entries.size() == 2);
}

TEST_CASE("a write-protected file is not replaced", "[file_space]") {
  auto x = disk_space{};
  x.dir.write("a", "old");
  auto known = file_precondition{x->read({"a"})->digest};
  fs::permissions(x.dir.path() / "a", fs::perms{0444});
  CHECK(message_of(x->write({"a", "new", known})) == "a is write-protected");
  CHECK(x.dir.read("a") == "old");
}

TEST_CASE("a read-only path refuses writes by policy", "[file_space]") {
  auto policy = sandbox_settings{};
  policy.files = {{"root", file_access::read_only}};
  auto x = disk_space{{}, policy};
  x.dir.write("a", "old");
  CHECK(test::kind_of(x->write({"b", "x", {}})) == errc::policy);
  CHECK(test::kind_of(x->replace({"a", "old", "new", false, {}}))
        == errc::policy);
  CHECK(x->read({"a"}));
  CHECK_FALSE(fs::exists(x.dir.path() / "b"));
}

TEST_CASE("a path within another has one access under each of its names",
          "[file_space][attack]") {
  auto policy = sandbox_settings{};
  policy.files = {{"root", file_access::read_write},
                  {"source", file_access::read_only},
                  {"out", file_access::read_write}};
  policy.runtime_paths = {{"home", file_access::read_write}};
  auto x = disk_space{
    {}, policy, {{"source", "src"}, {"out", "src/out"}, {"home", "home"}}};
  x.dir.write("src/a", "old");
  x.dir.write("src/out/b", "old");
  x.dir.write("home/key", "SECRET");
  // The most restrictive access wins, however deep it lies.
  for (const auto* path :
       {"src/a", "src/b", "src/../src/b", "workspace://source/b",
        "workspace://root/src/b", "src/out/c", "workspace://out/c"})
    CHECK(test::kind_of(x->write({path, "x", {}})) == errc::policy);
  CHECK(x->read({"workspace://source/out/b"})->canonical
        == "workspace://out/b");
  CHECK(x->read({"src/a"})->canonical == "workspace://source/a");
  CHECK(test::kind_of(x->read({"home/key"})) == errc::policy);
  CHECK(x->glob({"**/*", ""})->paths
        == std::vector<std::string>{"src/a", "src/out/b"});
  CHECK(x->grep({"SECRET", "", "", 0})->matches.empty());
}

TEST_CASE("a policy for a path that is not there is refused", "[file_space]") {
  auto dir = test::temp_dir{};
  auto where = workspace::open({}, dir.path().string());
  REQUIRE(where);
  auto policy = sandbox_settings{};
  policy.files = {{"nowhere", file_access::read_only}};
  auto made = make_disk_file_space(*where, policy);
  REQUIRE_FALSE(made);
  CHECK(to_fault(made.error()).kind == errc::configuration);
}
