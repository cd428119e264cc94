// What programs do all day works in a sandbox, whatever the root file system
// is.

#include "sandbox/escapes/arena.hpp"
#include "sandbox/process_support.hpp"

#include <array>

using namespace troupe;
using test::arena;
using test::attacked_host;

namespace {

struct work {
  /// Skipped where the host has no such program.
  const char* program;
  const char* script;
  const char* output;
};

constexpr auto works = std::array{
  work{"sh", "echo hello; echo x > \"$W/f\"; cat \"$W/f\"; rm \"$W/f\"",
       "hello\nx\n"},
  work{"sh", "cat <<END\nhere\nEND", "here\n"},
  work{"sh", "pwd; cd source; pwd; cat given.txt; ls", "given.txt\n"},
  work{"sh", "printf 'b\\na\\n' | sort | head -1", "a\n"},
  work{"sh", "(sleep 0.05; echo late) & wait; echo after", "late\nafter\n"},
  work{"sh", "x=$(mktemp) && echo temporary > $x && cat $x && rm $x",
       "temporary\n"},
  work{"sh", "f=$(mktemp -p ~) && echo y > $f && cat $f && rm $f", "y\n"},
  work{"sh", "test -w \"$TMPDIR\" && test -d \"$HOME\" && echo fine", "fine\n"},
  work{"sh", "kill -0 $$ && trap 'echo got' USR1 && kill -USR1 $$", "got\n"},
  work{"sh", "cd \"$PLACE\"; mkfifo p; (echo through > p &) ; cat p",
       "through\n"},
  work{"sh",
       "echo x > /dev/null; head -c 4 /dev/zero | wc -c; head -c 4 "
       "/dev/urandom | wc -c",
       "4\n4\n"},
  work{"sh", "echo $TROUPE_WORKSPACE_ROOT | grep -c W", "1\n"},
  work{"bash", "bash -c 'diff <(echo a) <(echo a) && echo same'", "same\n"},
  work{"bash", "bash -c 'echo tee > >(cat); wait; sleep 0.05'", "tee\n"},
  work{"bash", "bash -c 'set -m; sleep 0.01 & wait %1; echo ${PIPESTATUS[0]}'",
       "0\n"},
  work{"bash",
       "bash -c 'coproc cat; echo co >&${COPROC[1]}; read -u "
       "${COPROC[0]} x; echo $x'",
       "co\n"},
  work{"git",
       "cd \"$PLACE\" && git init -q r && cd r && git config user.email a@b && "
       "git config user.name n && echo 1 > a && git add a && git commit "
       "-qm first && git log --format=%s && git status --short && cd .. "
       "&& git clone -q r s && ls s",
       "first\na\n"},
  work{"git",
       "git init -q \"$W/r\" && cd \"$W/r\" && git -c user.email=a@b -c "
       "user.name=n commit -q --allow-empty -m x && git log --format=%s "
       "&& rm -rf \"$W/r\"",
       "x\n"},
  work{"make",
       "cd \"$PLACE\" && printf 'all: a b\\na b:\\n\\t@echo $@\\n' > M && make "
       "-s -j2 -f M | sort",
       "a\nb\n"},
  work{"g++",
       "cd \"$PLACE\" && printf '#include <iostream>\\nint main() { std::cout "
       "<< 42; }\\n' > h.cpp && g++ -O0 h.cpp -o h && ./h",
       "42"},
  work{"awk", "echo 1 2 | awk '{print $1 + $2}'", "3\n"},
  work{"tar",
       "cd \"$PLACE\" && mkdir -p t && echo x > t/f && tar czf t.tgz t && rm "
       "-r t && tar xzf t.tgz && cat t/f",
       "x\n"},
  work{"/usr/bin/python3", "/usr/bin/python3 -c 'print(6 * 7)'", "42\n"},
  work{"/usr/bin/python3",
       "/usr/bin/python3 -c \"import threading, subprocess, tempfile, socket\n"
       "t = threading.Thread(target=lambda: print('thread')); t.start(); "
       "t.join()\nprint(subprocess.run(['echo', 'child'], capture_output=True, "
       "text=True).stdout.strip())\na, b = socket.socketpair(); a.send(b'x'); "
       "print(b.recv(1))\"",
       "thread\nchild\nb'x'\n"},
  work{"/usr/bin/python3",
       "/usr/bin/python3 -c \"import multiprocessing as m\nif __name__ == "
       "'__main__':\n with m.Pool(2) as p: print(sum(p.map(abs, [-1, -2])))\n "
       "l = m.Lock(); l.acquire(); l.release(); print('lock')\"",
       "3\nlock\n"},
  work{
    "/usr/bin/python3",
    "cd \"$PLACE\" && /usr/bin/python3 -c \"import sqlite3\nc = "
    "sqlite3.connect('d.db')\n"
    "c.execute('create table t (x)'); c.execute('insert into t values (7)'); "
    "c.commit()\nprint(c.execute('select x from t').fetchall())\"",
    "[(7,)]\n"},
  work{"/usr/bin/python3",
       "/usr/bin/python3 -c \"import fcntl\nf = open('lock', 'w'); "
       "fcntl.lockf(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_UN); "
       "fcntl.flock(f, fcntl.LOCK_EX); print('locked')\"; rm -f lock",
       "locked\n"},
  work{"/usr/bin/python3",
       "/usr/bin/python3 -c \"import asyncio\nasync def f():\n p = await "
       "asyncio.create_subprocess_exec('true'); await p.wait(); "
       "print(p.returncode)\nasyncio.run(f())\"",
       "0\n"},
  work{"/usr/bin/python3",
       "/usr/bin/python3 -c \"import socket, threading\ns = socket.socket(); "
       "s.bind(('127.0.0.1', 0)); s.listen()\nthreading.Thread(target=lambda: "
       "s.accept()[0].send(b'hi')).start()\nprint(socket.create_connection(("
       "'localhost', s.getsockname()[1])).recv(2))\"",
       "b'hi'\n"},
  work{"perl", "perl -e 'print join(\",\", map { $_ * 2 } 1..3), \"\\n\"'",
       "2,4,6\n"},
  work{"id", "test \"$(id -u)\" = \"$(stat -c %u \"$W\")\" && echo mine",
       "mine\n"},
  work{"whoami", "whoami > /dev/null && echo known", "known\n"},
  work{"date", "TZ=UTC date -d @0 +%F; TZ=Asia/Tokyo date -d @0 +%H",
       "1970-01-01\n09\n"},
  work{"ps", "ps -o comm= -p $$", "sh\n"},
  work{"ps", "ps aux | grep -c '[s]h -c' > /dev/null && echo listed",
       "listed\n"},
  work{"timeout", "timeout 0.05 sleep 10; echo $?", "124\n"},
  work{"nproc", "test $(nproc) -ge 1 && echo some", "some\n"},
  work{"find", "find source -name '*.txt' | xargs -n1 basename", "given.txt\n"},
  work{"flock", "flock \"$PLACE/l\" echo held", "held\n"},
  work{"xz", "echo x | xz | xz -d", "x\n"},
  work{"openssl",
       "openssl version > /dev/null && echo x | openssl dgst -sha256 "
       "| grep -c 73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e7"
       "9dda2aac7d9ac",
       "1\n"},
  work{"sh",
       "test ! -e /etc/ssl/certs/ca-certificates.crt || grep -c 'BEGIN "
       "CERT' /etc/ssl/certs/ca-certificates.crt | grep -c '[0-9]'; echo "
       "done",
       "done\n"},
  work{"sh", "echo x > /dev/shm/s && cat /dev/shm/s && rm /dev/shm/s", "x\n"},
  work{"sh",
       "cp \"$TOOLS/attacker\" \"$PLACE/own\" && \"$PLACE/own\" usual-pair",
       "usual-pair: ok\n"},
  work{"sh",
       "chmod 600 hello.txt; stat -c %a hello.txt; chmod 644 hello.txt; "
       "touch -d 2001-01-01 hello.txt; ln -s hello.txt l; cat l; rm l; ln "
       "hello.txt h; rm h",
       "600\nhello\n"},
  work{"sh", "umask; ulimit -c", "0022\n0\n"},
  work{"setsid", "setsid sh -c 'echo in a session'", "in a session\n"},
  work{"nice", "nice -n 5 echo nicer", "nicer\n"},
};

bool has_program(const std::string& name) {
  auto dir = test::temp_dir{};
  auto runner = test::make_runner();
  auto found = test::run(*runner, test::shell("command -v " + name, dir));
  return found && found->status == 0;
}

} // namespace

TEST_CASE("programs do their ordinary work in a sandbox", "[ordinary]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = attacked_host{};
  auto where = arena{host, true};
  for (const auto* root : {"isolated", "read_only", "read_write"})
    for (const auto& one : works) {
      if (!has_program(one.program))
        continue;
      INFO(root << ": " << one.script);
      auto changes = std::string{"{\"root_filesystem\":\""} + root + "\"}";
      // Also where /tmp is the host's, nothing is left there.
      auto spec = where.shell("export PLACE=$(mktemp -d) && trap 'rm -rf "
                              "\"$PLACE\"' EXIT\n"
                                + std::string{one.script},
                              changes);
      spec.environment["PATH"] = "/usr/bin:/bin:/usr/sbin:/sbin";
      auto result = where.run(std::move(spec), changes);
      INFO(result.stderr_text);
      CHECK(result.stdout_text.ends_with(one.output));
      CHECK(result.status == 0);
    }
  CHECK(host.damage() == "");
}

TEST_CASE("a command gets its input, and its status and signals are told",
          "[ordinary]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = attacked_host{};
  for (auto warm : {true, false}) {
    auto where = arena{host, warm};
    auto spec = where.shell("cat; echo error >&2; exit 7", {});
    spec.stdin_text = std::string(300'000, 'x');
    auto result = where.run(std::move(spec), {});
    CHECK(result.stdout_text == std::string(300'000, 'x'));
    CHECK(result.stderr_text == "error\n");
    CHECK(result.status == 7);
    CHECK(result.signal == 0);
    result = where.run("kill -9 $$");
    CHECK(result.status == 137);
    CHECK(result.signal == 9);
    result = where.run("exit 137");
    CHECK(result.status == 137);
    CHECK(result.signal == 0);
    // Nobody waits for input that nobody gives.
    result = where.run("cat; echo ended");
    CHECK(result.stdout_text == "ended\n");
    result = where.run("(setsid sleep 1000 &) ; echo done");
    CHECK(result.stdout_text == "done\n");
    result = where.run("ps axo args | grep -c '[s]leep 1000'");
    CHECK(result.stdout_text == "0\n");
  }
}

TEST_CASE("a command that cannot be started says why", "[ordinary]") {
  if (!test::can_open_sandboxes())
    return;
  auto host = attacked_host{};
  auto where = arena{host, true};
  for (const auto* program : {"no-such-program", "/usr/share", "hello.txt"}) {
    auto spec = where.shell("true", {});
    spec.argv = {program};
    auto result = test::run(*where.at({}).runner, std::move(spec));
    INFO(program);
    REQUIRE_FALSE(result);
    CHECK(to_fault(result.error()).kind == errc::tool);
  }
  auto spec = where.shell("echo no", {});
  spec.can_spawn = false;
  spec.argv = {"/bin/sh", "-c", "echo one; /bin/true; echo \"status $?\""};
  auto result = where.run(std::move(spec), {});
  CHECK(result.stdout_text.find("status 0") == std::string::npos);
  CHECK(result.stdout_text.find("one\n") == 0);
}
