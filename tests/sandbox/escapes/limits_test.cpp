// What a command uses up ends with the name of the limit, and leaves the next
// command a sandbox that works.

#include "troupe/sandbox/backend_report.hpp"

#include "sandbox/escapes/arena.hpp"
#include "sandbox/process_support.hpp"

#include <array>
#include <future>

#include <unistd.h>

using namespace troupe;
using test::arena;
using test::attacked_host;

namespace {

struct hungry_case {
  const char* name;
  const char* script;
  const char* limit;
  const char* limits;

  /// By a group, or else by the init.
  bool needs_watching() const {
    return limit == std::string{"memory"} || limit == std::string{"processes"};
  }
};

constexpr auto cases = std::array{
  hungry_case{"sleep", "sleep 1000", "wall", "\"wall\":300ms"},
  hungry_case{"stopped", "kill -STOP $$; sleep 1000", "wall", "\"wall\":300ms"},
  hungry_case{"sleep that ignores TERM",
              "trap '' TERM; while :; do sleep 1; done", "wall",
              "\"wall\":300ms"},
  hungry_case{"loop", "while :; do :; done", "cpu", "\"cpu\":1s"},
  hungry_case{"loop that ignores XCPU",
              "trap '' XCPU TERM; while :; do :; done", "cpu", "\"cpu\":1s"},
  hungry_case{"loop in a child",
              "sh -c 'while :; do :; done'; sleep 100; echo on", "cpu",
              "\"cpu\":1s"},
  hungry_case{"loop in many children", "attacker --burn 6", "cpu",
              "\"cpu\":1s"},
  hungry_case{"loop in short children",
              "while :; do sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); "
              "done'; done",
              "cpu", "\"cpu\":1s"},
  hungry_case{"loop in the background of a session",
              "setsid sh -c 'while :; do :; done' & sleep 100", "cpu",
              "\"cpu\":1s"},
  hungry_case{"memory of one process", "attacker --hold 300", "memory",
              "\"memory\":100MiB"},
  hungry_case{"memory of a pipeline", "head -c 300000000 /dev/zero | tail",
              "memory", "\"memory\":100MiB"},
  hungry_case{
    "memory of many processes",
    "for i in 1 2 3 4 5 6 7 8; do attacker --hold 30 & done; sleep 20",
    "memory", "\"memory\":100MiB"},
  hungry_case{"memory that is shared", "attacker --hold-shared 300", "memory",
              "\"memory\":100MiB"},
  hungry_case{"memory of a tmpfs",
              "for i in 1 2 3 4 5 6; do head -c 40000000 /dev/zero > "
              "/dev/shm/$i; done; sleep 20",
              "memory", "\"memory\":100MiB,\"tmp\":1GiB"},
  hungry_case{"forks", "attacker --fork 300", "processes", "\"processes\":40"},
  hungry_case{
    "forks of a shell",
    "f() { test $1 = 0 || f $(($1-1)) | f $(($1-1)) & }; f 7; sleep 20",
    "processes", "\"processes\":40"},
  hungry_case{"sleepers",
              "i=0; while [ $i -lt 200 ]; do sleep 20 & i=$((i+1)); done; "
              "sleep 20",
              "processes", "\"processes\":40"},
  hungry_case{"daemons",
              "i=0; while [ $i -lt 200 ]; do setsid sleep 20 & i=$((i+1)); "
              "done; sleep 20",
              "processes", "\"processes\":40"},
  hungry_case{"threads", "attacker --threads 200", "processes",
              "\"processes\":40"},
  hungry_case{"file", "head -c 3000000 /dev/zero > \"$W/big\"", "file",
              "\"file\":1MiB"},
  hungry_case{"file in a tmpfs", "exec head -c 3000000 /dev/zero > /tmp/big",
              "file", "\"file\":1MiB"},
};

std::string changes_of(const char* limits) {
  return std::string{"{\"limits\":{"} + limits + "}}";
}

void check_ends(arena& where, const hungry_case& what) {
  INFO(what.name << ": " << what.script);
  auto changes = changes_of(what.limits);
  auto spec = where.shell(what.script, changes);
  spec.wall = std::min(spec.wall, where.at(changes).policy.limits.wall);
  spec.grace = std::chrono::milliseconds{100};
  auto result = where.run(std::move(spec), changes);
  INFO(result.stdout_text << result.stderr_text);
  CHECK(result.limit == what.limit);
  CHECK(result.status != 0);
  // A sandbox that is shared goes on.
  auto next = where.run("rm -rf /tmp/* /dev/shm/*; echo fine", changes);
  CHECK(next.stdout_text == "fine\n");
  CHECK(next.limit == "");
}

// Without a group nobody counts the processes of root as they start, and those
// of a user are seen only while they are there.
bool is_bounded_without_groups(const hungry_case& what) {
  auto limit = std::string{what.limit};
  auto name = std::string{what.name};
  return limit != "processes"
         || (::getuid() != 0 && (name == "forks" || name == "threads"));
}

} // namespace

TEST_CASE("what uses a limit up ends with its name", "[limits]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = attacked_host{};
  auto has_groups = test::host_parts().cgroups.version != 0;
  for (auto warm : {true, false}) {
    INFO("warm: " << warm);
    auto where = arena{host, warm};
    for (const auto& one : cases)
      if (has_groups || is_bounded_without_groups(one))
        check_ends(where, one);
  }
  CHECK(host.damage() == "");
}

TEST_CASE("memory and processes are bounded without cgroups", "[limits]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = attacked_host{};
  auto parts = test::host_parts();
  parts.cgroups = {};
  auto where = arena{host, true, parts};
  for (const auto& one : cases)
    if (one.needs_watching() && is_bounded_without_groups(one))
      check_ends(where, one);
}

TEST_CASE("output beyond its limit ends a command, or is dropped", "[limits]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = attacked_host{};
  auto where = arena{host, true};
  auto changes = changes_of("\"output\":64KiB");
  constexpr auto most = size_t{64} << 10;
  for (const auto* script :
       {"yes", "yes >&2", "yes & yes >&2", "exec >&-; yes >&2",
        "trap '' PIPE TERM; yes", "setsid yes & sleep 20",
        "head -c 100000000 /dev/zero"}) {
    INFO(script);
    auto spec = where.shell(script, changes);
    spec.overflow = output_overflow::end;
    auto result = where.run(std::move(spec), changes);
    CHECK(result.limit == "output");
    CHECK(result.truncated);
    CHECK(result.stdout_text.size() <= most);
    CHECK(result.stderr_text.size() <= most);
  }
  for (const auto* script :
       {"head -c 30000000 /dev/zero; exit 3", "yes | head -c 3000000; exit 3",
        "(yes | head -c 3000000) >&2 & head -c 3000000 /dev/zero; wait; exit "
        "3"}) {
    INFO(script);
    auto result = where.run(script, changes);
    CHECK(result.limit == "");
    CHECK(result.status == 3);
    CHECK(result.truncated);
    CHECK(result.stdout_text.size() == most);
  }
}

TEST_CASE("what a command may write to memory is bounded", "[limits]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = attacked_host{};
  auto where = arena{host, false};
  auto changes = changes_of("\"tmp\":4MiB,\"file\":1GiB");
  for (const auto* folder : {"/tmp", "/dev/shm", "/tmp/home", "/var/tmp"}) {
    INFO(folder);
    auto path = std::string{folder};
    auto filled = where.run("head -c 9000000 /dev/zero > " + path
                              + "/fill; stat -c %s " + path + "/fill",
                            changes);
    CHECK(filled.stderr_text.find("No space left") != std::string::npos);
    CHECK(filled.stdout_text == "4194304\n");
    auto counted = where.run("attacker --files " + path + " 50000", changes);
    CHECK(counted.stdout_text.size() < std::string{"made 1100\n"}.size() + 1);
  }
  auto deep = where.run("cd /tmp && i=0; while [ $i -lt 3000 ] && mkdir d "
                        "2>/dev/null; do cd -P d || break; i=$((i+1)); done; "
                        "echo ended",
                        changes);
  CHECK(deep.stdout_text == "ended\n");
}

TEST_CASE("what ends one command leaves those beside it", "[limits]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = attacked_host{};
  {
    auto where = arena{host, true};
    auto changes = changes_of("\"processes\":60");
    where.run("mkfifo \"$W/way\"", changes);
    auto beside = std::promise<caf::expected<process_result>>{};
    where.at(changes).runner->start(
      // It starts nothing that it could be refused.
      where.shell("echo begun > \"$W/begun\"; read x < \"$W/way\"; echo "
                  "alive",
                  changes),
      [&](auto result) { beside.set_value(std::move(result)); });
    REQUIRE(test::eventually(
      [&] { return where.run("test -e \"$W/begun\"", changes).status == 0; }));
    CHECK(where.run("attacker --fork 300", changes).limit == "processes");
    where.run("echo go > \"$W/way\"", changes);
    auto result = beside.get_future().get();
    REQUIRE(result);
    CHECK(result->stdout_text == "alive\n");
    CHECK(result->limit == "");
    where.run("rm \"$W/way\" \"$W/begun\"", changes);
  }
}

TEST_CASE("descriptors and inodes of a command are its own", "[limits]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = attacked_host{};
  auto where = arena{host, true};
  auto changes = changes_of("\"open_files\":64");
  auto result = where.run("ulimit -n; ulimit -Hn; exec 3<>/dev/null; i=10; "
                          "bash -c 'for i in $(seq 10 200); do eval \"exec "
                          "$i<&3\" || break; done' 2>&1 | grep -c 'Too many'",
                          changes);
  CHECK(result.stdout_text.find("64\n64\n") == 0);
}

TEST_CASE("the report says how the limits are kept", "[limits]") {
  if (!test::can_open_sandboxes())
    return;
  auto report = probe_backend("bubblewrap", nullptr);
  REQUIRE(report);
  CHECK(report->available);
  auto version = test::host_parts().cgroups.version;
  if (version != 0) {
    CHECK(report->memory_limit == "cgroup v" + std::to_string(version));
    CHECK(report->process_limit == "cgroup");
  } else {
    CHECK(report->memory_limit == "sampled");
    CHECK(report->process_limit == (::getuid() == 0 ? "none" : "rlimit"));
  }
}
