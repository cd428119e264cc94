// Workspaces in odd places, paths within paths, and paths that are not any
// more what they were.

#include "troupe/sandbox/process_plan.hpp"

#include "sandbox/escapes/arena.hpp"
#include "sandbox/process_support.hpp"

#include <filesystem>
#include <map>

using namespace troupe;
namespace fs = std::filesystem;

namespace {

using paths = std::map<std::string, std::string>;
using grants = std::map<std::string, file_access>;

constexpr auto read_only = file_access::read_only;
constexpr auto read_write = file_access::read_write;

/// A workspace at `root`, and a runner for it.
class place {
public:
  place(const fs::path& root, const paths& named, const grants& given,
        const std::string& root_filesystem = "isolated") {
    policy_.files = given;
    policy_.root_filesystem = root_filesystem;
    auto settings = workspace_settings{};
    settings.root = root.string();
    settings.paths = named;
    auto opened = workspace::open(settings, "/");
    INFO((opened ? std::string{} : caf::to_string(opened.error())));
    REQUIRE(opened);
    where_ = *opened;
    auto made = make_bubblewrap_runner(nullptr, test::host_parts(), where_,
                                       policy_);
    REQUIRE(made);
    runner_ = *made;
  }

  caf::expected<process_result> run(const std::string& script) {
    auto request = process_request{};
    request.argv = {"/bin/sh", "-c", script};
    auto spec = plan_process(request, *where_, policy_, {},
                             containment::sandbox);
    if (!spec)
      return std::move(spec.error());
    return test::run(*runner_, std::move(*spec));
  }

  std::string output_of(const std::string& script) {
    auto result = run(script);
    INFO((result ? std::string{} : caf::to_string(result.error())));
    REQUIRE(result);
    return result->stdout_text;
  }

private:
  sandbox_settings policy_;
  std::shared_ptr<workspace> where_;
  std::shared_ptr<process_runner> runner_;
};

// Tells for each path whether it can be written.
std::string probe(const std::string& list) {
  return "for p in " + list
         + "; do if (echo x > \"$p/probe\") 2>/dev/null; then echo \"$p w\"; "
           "else echo \"$p r\"; fi; done";
}

constexpr auto roots = {"isolated", "read_only", "read_write"};

} // namespace

TEST_CASE("a workspace may lie anywhere and have any name", "[places]") {
  if (!test::can_open_sandboxes())
    return;
  auto dir = test::temp_dir{};
  fs::permissions(dir.path(), fs::perms{0755});
  for (const auto* name :
       {"plain", "with spaces", "  around  ", "ünïcödé-日本", "quote'\"$x`y`",
        "-dash", "new\nline", "colon:comma,=equals", "star*[a]?",
        "deep/down/in/here", "..dots", "tab\there", "back\\slash"}) {
    auto root = dir.path() / name;
    fs::create_directories(root);
    for (const auto* filesystem : roots) {
      INFO(name << " " << filesystem);
      auto sut = place{root, {}, {{"root", read_write}}, filesystem};
      CHECK(sut.output_of("pwd; echo x > f; cat f; rm f")
            == root.string() + "\nx\n");
    }
  }
}

TEST_CASE("a workspace may lie in a home directory", "[places]") {
  if (!test::can_open_sandboxes())
    return;
  const auto* home = std::getenv("HOME");
  if (home == nullptr || ::access(home, W_OK) != 0) {
    WARN("skipped: there is no home directory to write to");
    return;
  }
  auto pattern = std::string{home} + "/troupe-place-XXXXXX";
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  for (const auto* filesystem : roots) {
    INFO(filesystem);
    auto sut = place{pattern, {}, {{"root", read_write}}, filesystem};
    CHECK(sut.output_of("echo x > f; cat f; rm f") == "x\n");
  }
  fs::remove_all(pattern);
}

TEST_CASE("the narrowest access of paths within paths counts", "[places]") {
  if (!test::can_open_sandboxes())
    return;
  for (const auto* filesystem : roots) {
    INFO(filesystem);
    auto dir = test::temp_dir{};
    fs::create_directories(dir.path() / "a/b/c/d");
    auto named = paths{{"a", "a"}, {"b", "a/b"}, {"c", "a/b/c"}};
    auto list = std::string{". a a/b a/b/c a/b/c/d"};
    auto mixed = place{dir.path(),
                       named,
                       {{"root", read_write},
                        {"a", read_write},
                        {"b", read_only},
                        {"c", read_write}},
                       filesystem};
    CHECK(mixed.output_of(probe(list))
          == ". w\na w\na/b r\na/b/c r\na/b/c/d r\n");
    auto closed = place{
      dir.path(), named, {{"root", read_only}, {"c", read_write}}, filesystem};
    CHECK(closed.output_of(probe(list))
          == ". r\na r\na/b r\na/b/c r\na/b/c/d r\n");
    auto open = place{
      dir.path(), named, {{"root", read_write}, {"c", read_only}}, filesystem};
    CHECK(open.output_of(probe(list))
          == ". w\na w\na/b w\na/b/c r\na/b/c/d r\n");
  }
}

TEST_CASE("a path that others lie in cannot be moved away", "[places]") {
  if (!test::can_open_sandboxes())
    return;
  for (const auto* filesystem : roots) {
    INFO(filesystem);
    auto dir = test::temp_dir{};
    dir.write("a/b/kept.txt", "kept\n");
    auto sut = place{dir.path(),
                     {{"b", "a/b"}},
                     {{"root", read_write}, {"b", read_only}},
                     filesystem};
    sut.output_of("mv a/b a/other; mv a/b/kept.txt .; rm -rf a/b; rmdir a/b");
    CHECK(dir.read("a/b/kept.txt") == "kept\n");
    // The way to it can be moved; what lies there still cannot be written, in
    // this sandbox or in one that is opened afterwards.
    sut.output_of(
      "mv a z; (echo x > z/b/kept.txt) 2>&1; mkdir -p a/b; echo x > "
      "a/b/new");
    auto moved = fs::exists(dir.path() / "z/b/kept.txt") ? "z" : "a";
    CHECK(dir.read(std::string{moved} + "/b/kept.txt") == "kept\n");
  }
}

TEST_CASE("a workspace that was replaced is not mounted", "[places]") {
  if (!test::can_open_sandboxes())
    return;
  for (const auto* filesystem : roots)
    for (const auto* with : {"a link", "a directory", "nothing"}) {
      INFO(filesystem << ", " << with);
      auto dir = test::temp_dir{};
      auto root = dir.path() / "root";
      auto outside = dir.path() / "outside";
      dir.write("root/mine.txt", "mine\n");
      dir.write("outside/secret.txt", "secret\n");
      auto sut = place{root, {}, {{"root", read_write}}, filesystem};
      fs::rename(root, dir.path() / "before");
      if (with == std::string{"a link"})
        fs::create_directory_symlink(outside, root);
      else if (with == std::string{"a directory"})
        fs::rename(outside, root);
      CHECK_FALSE(sut.run("cat secret.txt; echo x > written"));
      CHECK_FALSE(fs::exists(outside / "written"));
      CHECK_FALSE(fs::exists(root / "written"));
    }
}

TEST_CASE("a link where a nested path was is not followed", "[places]") {
  if (!test::can_open_sandboxes())
    return;
  for (const auto* filesystem : roots)
    for (const auto* target : {"/outside", "/root/old", "oldroot"}) {
      INFO(filesystem << ", " << target);
      auto dir = test::temp_dir{};
      auto root = dir.path() / "root";
      auto outside = dir.path() / "outside";
      dir.write("root/a/b/mine.txt", "mine\n");
      dir.write("outside/b/secret.txt", "secret\n");
      auto sut = place{root,
                       {{"b", "a/b"}},
                       {{"root", read_write}, {"b", read_only}},
                       filesystem};
      // As a command of an earlier sandbox could.
      fs::rename(root / "a", root / "old");
      auto to = target == std::string{"oldroot"} ? "/oldroot" + outside.string()
                                                 : dir.path().string() + target;
      fs::create_directory_symlink(to, root / "a");
      CHECK_FALSE(sut.run("cat a/b/secret.txt; echo x > a/b/written"));
      CHECK_FALSE(fs::exists(outside / "b/written"));
      CHECK(dir.read("outside/b/secret.txt") == "secret\n");
      CHECK(std::distance(fs::directory_iterator{outside}, {}) == 1);
    }
}

TEST_CASE("the directories of the kernel are no workspace", "[places]") {
  if (!test::can_open_sandboxes())
    return;
  for (const auto* root : {"/", "/proc", "/proc/self", "/dev", "/dev/shm",
                           "/sys", "/sys/kernel"}) {
    INFO(root);
    auto sut = place{root, {}, {{"root", read_write}}};
    auto result = sut.run("true");
    REQUIRE_FALSE(result);
    auto kind = to_fault(result.error()).kind;
    CHECK((kind == errc::policy || kind == errc::sandbox));
  }
}
