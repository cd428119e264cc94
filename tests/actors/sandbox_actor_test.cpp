#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/actors/sandbox/sandbox.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/runtime/messages/register.hpp"
#include "troupe/sandbox/backend_report.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"
#include "caf/scoped_actor.hpp"
#include "caf/send.hpp"

#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <thread>

#include <unistd.h>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

struct actor_world {
  actor_world() {
    register_messages(config);
    config.set("scheduler.max-threads", size_t{2});
  }

  caf::actor_system_config config;
};

/// A sandbox over a folder, and somebody who asks it.
class sandbox_bench {
public:
  explicit sandbox_bench(std::string provider,
                         std::map<std::string, std::string> paths = {}) {
    auto policy = sandbox_settings{};
    policy.provider = std::move(provider);
    policy.files = {{"root", file_access::read_write},
                    {"source", file_access::read_only}};
    auto where = workspace_settings{};
    where.root = folder_.path().string();
    where.paths = std::move(paths);
    where.paths.emplace("source", "src");
    folder_.write("src/a.txt", "hello\n");
    auto pool = std::make_shared<co::blocking_pool>(2);
    box_ = make_sandbox_opener(system_, "/", pool)({{}, policy, where, {}});
  }

  ~sandbox_bench() {
    close();
  }

  const sandbox_actor& box() const {
    return box_;
  }

  test::temp_dir& folder() {
    return folder_;
  }

  caf::scoped_actor& self() {
    return self_;
  }

  template <class R, class Handle, class Request>
  caf::expected<R> ask(const Handle& whom, Request request) {
    auto result = caf::expected<R>{caf::error{}};
    self_->request(whom, 60s, std::move(request))
      .receive([&](R& x) { result = std::move(x); },
               [&](caf::error& why) { result = std::move(why); });
    return result;
  }

  process_actor start(start_process x) {
    auto handle = ask<process_handle>(box_, std::move(x));
    REQUIRE(handle);
    return handle->process;
  }

  std::string read_until(const process_actor& from, const std::string& text) {
    auto result = std::string{};
    while (result.find(text) == std::string::npos) {
      auto read = read_process{};
      read.timeout = 20s;
      auto chunk = ask<process_output>(from, read);
      if (!chunk || chunk->end || chunk->text.empty())
        break;
      result += chunk->text;
    }
    return result;
  }

  void close() {
    if (box_)
      CHECK(ask<done>(box_, end_work{}));
    box_ = nullptr;
  }

private:
  test::temp_dir folder_;
  actor_world world_;
  caf::actor_system system_{world_.config};
  caf::scoped_actor self_{system_};
  sandbox_actor box_;
};

start_process shell(const std::string& script) {
  auto result = start_process{};
  result.argv = {"/bin/sh", "-c", script};
  return result;
}

bool eventually(const std::function<bool()>& condition) {
  for (auto i = 0; i < 2000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(5ms); // a bounded poll
  }
  return false;
}

/// The providers that run commands here.
std::vector<std::string> command_providers() {
  auto result = std::vector<std::string>{"unrestricted"};
  auto report = probe_backend("native", *process_thread::make());
  if (report && report->available)
    result.emplace_back("native");
  else
    WARN("native sandboxes are left out: " << report->reason);
  return result;
}

errc kind_of(const auto& result) {
  return result ? errc{} : to_fault(result.error()).kind;
}

} // namespace

TEST_CASE("a tool talks with a command in a sandbox", "[sandbox_actor]") {
  for (const auto& provider : command_providers()) {
    CAPTURE(provider);
    sandbox_bench on{provider};
    auto process = on.start(shell("cat src/a.txt; read -r x; echo \"$x\"; "
                                  "trap 'echo usr' USR1; echo on; "
                                  "while :; do sleep 0.01; done"));
    CHECK(on.read_until(process, "hello") == "hello\n");
    CHECK(on.ask<done>(process, write_process{"word\n", false}));
    CHECK(on.read_until(process, "on\n") == "word\non\n");
    CHECK(on.ask<done>(process, signal_process{SIGUSR1}));
    CHECK(on.read_until(process, "usr") == "usr\n");
    auto state = on.ask<process_state>(process, wait_process{});
    REQUIRE(state);
    CHECK(state->running);
    CHECK(kind_of(on.ask<done>(process, signal_process{4000})) == errc::tool);
    auto ended = on.ask<process_state>(process, terminate_process{});
    REQUIRE(ended);
    CHECK_FALSE(ended->running);
    CHECK(ended->result.signal == SIGTERM);
    CHECK(on.ask<done>(process, end_work{}));
    CHECK_FALSE(on.ask<done>(process, end_work{})); // it is gone
  }
}

TEST_CASE("a command on a terminal", "[sandbox_actor]") {
  for (const auto& provider : command_providers()) {
    CAPTURE(provider);
    sandbox_bench on{provider};
    auto request = shell("test -t 0 && stty size; echo x > /dev/tty");
    request.pty = true;
    request.rows = 30;
    request.columns = 90;
    auto process = on.start(request);
    CHECK(on.read_until(process, "x").find("30 90") != std::string::npos);
    auto wait = wait_process{20s};
    auto state = on.ask<process_state>(process, wait);
    REQUIRE(state);
    CHECK(state->result.status == 0);
  }
}

TEST_CASE("a command ends with the actor that asked for it, and with its "
          "sandbox",
          "[sandbox_actor]") {
  for (const auto& provider : command_providers()) {
    CAPTURE(provider);
    sandbox_bench on{provider};
    auto beats = "while :; do echo x >> beat; sleep 0.01; done";
    auto stands_still = [&on] {
      auto before = on.folder().read("beat");
      std::this_thread::sleep_for(200ms);
      return on.folder().read("beat") == before;
    };
    {
      caf::scoped_actor other{on.self()->system()};
      auto process = process_actor{};
      other->request(on.box(), 60s, shell(beats))
        .receive([&](process_handle& x) { process = x.process; },
                 [](caf::error&) { FAIL("not started"); });
      CHECK(eventually([&] { return !on.folder().read("beat").empty(); }));
    }
    CHECK(eventually(stands_still));
    auto process = on.start(shell(beats));
    CHECK(eventually([&] { return !stands_still(); }));
    auto state = on.ask<process_state>(process, wait_process{});
    CAPTURE(state ? std::string{} : render(to_fault(state.error())));
    CHECK((state && state->running));
    on.close();
    CHECK(stands_still());
  }
}

TEST_CASE("a scope of a sandbox is less of it", "[sandbox_actor]") {
  for (const auto& provider : command_providers()) {
    CAPTURE(provider);
    sandbox_bench on{provider};
    auto open = [&on](const sandbox_actor& of, sandbox_scope what) {
      auto opened = on.ask<opened_scope>(of, open_scope{std::move(what)});
      REQUIRE(opened);
      return sandbox_of(*opened);
    };
    auto read = read_file_request{};
    read.path = "workspace://source/a.txt";
    auto write = write_file_request{"b.txt", "x", {}};
    auto less = sandbox_scope{};
    less.files = {{"root", file_access::read_only},
                  {"source", file_access::read_only}};
    auto reader = open(on.box(), less);
    CHECK(on.ask<read_file_result>(reader, read));
    CHECK(kind_of(on.ask<write_file_result>(reader, write)) == errc::policy);
    CHECK(on.ask<write_file_result>(on.box(), write));
    if (provider == "native") {
      auto command = process_request{};
      command.argv = {"/bin/sh", "-c", "echo x > c.txt"};
      auto result = on.ask<process_result>(reader, command);
      REQUIRE(result);
      CHECK(result->status != 0);
      CHECK(on.folder().read("c.txt").empty());
    }
    // What was narrowed stays so in a scope of the scope.
    auto more = sandbox_scope{};
    more.files = {{"root", file_access::read_write}};
    CHECK(kind_of(on.ask<opened_scope>(reader, open_scope{more}))
          == errc::policy);
    auto blind = sandbox_scope{};
    blind.capabilities = {sandbox_capability::filesystem_list};
    auto lister = open(reader, blind);
    CHECK(on.ask<list_files_result>(lister, list_files_request{}));
    CHECK(kind_of(on.ask<read_file_result>(lister, read)) == errc::policy);
    CHECK(kind_of(on.ask<process_result>(lister, process_request{}))
          == errc::policy);
    // They end with the sandbox they are of.
    on.close();
    CHECK_FALSE(on.ask<read_file_result>(reader, read));
    CHECK_FALSE(on.ask<list_files_result>(lister, list_files_request{}));
  }
}

TEST_CASE("a command without the capability starts no process",
          "[sandbox_actor]") {
  for (const auto& provider : command_providers()) {
    CAPTURE(provider);
    sandbox_bench on{provider};
    auto less = sandbox_scope{};
    less.capabilities = {sandbox_capability::filesystem_read,
                         sandbox_capability::process_run};
    auto opened = on.ask<opened_scope>(on.box(), open_scope{less});
    if (provider == "unrestricted") {
      CHECK(kind_of(opened) == errc::sandbox);
      continue;
    }
    REQUIRE(opened);
    auto alone = sandbox_of(*opened);
    auto command = process_request{};
    command.argv = {"/bin/sh", "-c", "echo one; ls; echo two"};
    auto result = on.ask<process_result>(alone, command);
    REQUIRE(result);
    CHECK(result->stdout_text == "one\n");
    CHECK(result->status != 0);
    command.argv = {"/bin/cat", "src/a.txt"};
    result = on.ask<process_result>(alone, command);
    REQUIRE(result);
    CHECK(result->stdout_text == "hello\n");
  }
}

TEST_CASE("the virtual sandbox starts no command", "[sandbox_actor]") {
  auto folder = test::temp_dir{};
  auto world = actor_world{};
  caf::actor_system system{world.config};
  caf::scoped_actor self{system};
  auto pool = std::make_shared<co::blocking_pool>(1);
  auto box = make_sandbox_opener(system, "/", pool)({});
  auto refused = std::optional<errc>{};
  self->request(box, 60s, shell("true"))
    .receive([](process_handle&) {},
             [&](caf::error& why) { refused = to_fault(why).kind; });
  CHECK(refused == errc::tool);
  self->request(box, 60s, end_work{})
    .receive([](done) {}, [](caf::error&) { FAIL("not closed"); });
}

TEST_CASE("a sandbox in memory stores artifacts that its tools can read",
          "[sandbox][artifacts]") {
  auto x = sandbox_bench{"virtual"};
  auto stored = x.ask<stored_artifacts>(
    x.box(), store_artifacts{{{"a.txt", "one\n"}, {"b.txt", "two\n"}}});
  REQUIRE(stored);
  REQUIRE(stored->paths.size() == 2);
  auto found = x.ask<read_file_result>(
    x.box(), read_file_request{stored->paths[1], 1, 0});
  REQUIRE(found);
  CHECK(found->content == "two\n");
  auto written = x.ask<write_file_result>(
    x.box(), write_file_request{stored->paths[1], "x", {}});
  REQUIRE_FALSE(written);
  CHECK(to_fault(written.error()).kind == errc::policy);
  auto more = artifact_file{"c.bin", std::string((16u << 20) + 1, 'x')};
  auto refused = x.ask<stored_artifacts>(x.box(),
                                         store_artifacts{{std::move(more)}});
  REQUIRE_FALSE(refused);
  CHECK(to_fault(refused.error()).kind == errc::limit);
}

TEST_CASE("a sandbox on a disk stores artifacts where the workspace says",
          "[sandbox][artifacts]") {
  SECTION("which is nowhere") {
    auto x = sandbox_bench{"unrestricted"};
    auto stored = x.ask<stored_artifacts>(x.box(),
                                          store_artifacts{{{"a.txt", "one"}}});
    REQUIRE_FALSE(stored);
    CHECK(to_fault(stored.error()).kind == errc::configuration);
  }
  SECTION("which no tool need see") {
    auto x = sandbox_bench{"unrestricted", {{"artifacts", "kept"}}};
    auto stored = x.ask<stored_artifacts>(x.box(),
                                          store_artifacts{{{"a.txt", "one"}}});
    REQUIRE(stored);
    CHECK_FALSE(x.ask<read_file_result>(
      x.box(), read_file_request{stored->paths[0], 1, 0}));
    auto name
      = stored->paths[0].substr(std::string{"workspace://artifacts"}.size());
    CHECK(x.folder().read("kept" + name) == "one");
    // Nor does a part of it store any.
    auto scope = x.ask<opened_scope>(x.box(), open_scope{});
    REQUIRE(scope);
    CHECK_FALSE(x.ask<stored_artifacts>(sandbox_of(*scope),
                                        store_artifacts{{{"b", "two"}}}));
  }
}

TEST_CASE("a sandbox on another machine serves tools and commands",
          "[sandbox_actor]") {
  auto folder = test::temp_dir{};
  auto world = actor_world{};
  caf::actor_system system{world.config};
  caf::scoped_actor self{system};
  auto pool = std::make_shared<co::blocking_pool>(1);
  auto policy = sandbox_settings{};
  policy.provider = "remote";
  policy.remote.emplace();
  policy.remote->command = {TROUPE_REMOTE_SERVER, folder.path().string()};
  auto box = make_sandbox_opener(system, "/", pool)({{}, policy, {}, {}});
  self->request(box, 60s, write_file_request{"a.txt", "hello\n", {}})
    .receive([](write_file_result& x) { CHECK(x.created); },
             [](caf::error& why) { FAIL(render(to_fault(why))); });
  CHECK(folder.read("a.txt") == "hello\n");
  self->request(box, 60s, process_request{{"cat", "a.txt"}, {}, 20s, {}})
    .receive([](process_result& x) { CHECK(x.stdout_text == "hello\n"); },
             [](caf::error& why) { FAIL(render(to_fault(why))); });
  self->request(box, 60s, describe_sandbox{})
    .receive(
      [](sandbox_description& x) {
        CHECK(x.text.find("another machine") != std::string::npos);
      },
      [](caf::error& why) { FAIL(render(to_fault(why))); });
  // One that still runs ends with it.
  caf::anon_send(box, process_request{{"sleep", "60"}, {}, 60s, {}});
  // It cannot be made less of.
  self->request(box, 60s, open_scope{})
    .receive([](opened_scope&) { FAIL("a scope was opened"); },
             [](caf::error& why) {
               CHECK(to_fault(why).kind == errc::sandbox);
             });
  self->request(box, 60s, end_work{})
    .receive([](done) {}, [](caf::error&) { FAIL("not closed"); });
}

TEST_CASE("what a remote sandbox cannot keep is refused before anything runs",
          "[sandbox_actor]") {
  auto policy = sandbox_settings{};
  policy.provider = "remote";
  CHECK_FALSE(check_sandbox(policy));
  policy.limits.memory = 1 << 20;
  CHECK(to_fault(check_sandbox(policy)).where == "sandbox.limits.memory");
}
