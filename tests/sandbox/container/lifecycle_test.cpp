#include "troupe/sandbox/container/container_owner.hpp"
#include "troupe/sandbox/owner_record.hpp"

#include "sandbox/container/engine_support.hpp"
#include "sandbox/process_support.hpp"

#include <csignal>
#include <filesystem>
#include <future>

#include <unistd.h>

using namespace troupe;
using test::ask_engine;
using test::container_policy;
using test::find_live_engine;
using test::live_containers;
using test::live_engine;

namespace {

std::string fault_of(const caf::expected<process_result>& x) {
  return x ? "no error" : to_fault(x.error()).message;
}

/// A container that stays, removed with the test.
struct kept_container {
  explicit kept_container(const live_engine& on) : engine(on) {
    remove();
  }

  ~kept_container() {
    remove();
  }

  void remove() const {
    for (const auto& id : ids())
      ask_engine(engine, {"rm", "-f", id});
  }

  std::vector<std::string> ids() const {
    auto found
      = ids_in(ask_engine(engine, {"ps", "-aq", "--no-trunc", "--filter",
                                   "label=troupe.sandbox.id=" + name}));
    REQUIRE(found);
    return *found;
  }

  sandbox_settings policy() const {
    auto result = container_policy(engine);
    result.container->name = name;
    result.container->reconnect = true;
    return result;
  }

  live_engine engine;
  std::string name = "troupe-test-" + std::to_string(::getpid());
};

} // namespace

TEST_CASE("a container with a name is found again, running or not",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto kept = kept_container{*engine};
  auto sut = live_containers{kept.policy()};
  auto first = sut.run("echo kept > $TMPDIR/state; echo $HOSTNAME");
  INFO(fault_of(first));
  REQUIRE(first);
  sut.runner = nullptr;
  REQUIRE(kept.ids().size() == 1);
  auto host = find_container_host(sut.policy);
  auto again = [&] {
    return *make_container_runner(nullptr, *host, sut.where, sut.policy);
  };
  sut.runner = again();
  auto second = sut.run("cat $TMPDIR/state; echo $HOSTNAME");
  INFO(fault_of(second));
  REQUIRE(second);
  CHECK(second->stdout_text == "kept\n" + first->stdout_text);
  // Nothing of the command before is left but files.
  auto spec = sut.shell("setsid sleep 76543 & exit 0");
  REQUIRE(test::run(*sut.runner, spec));
  sut.runner = nullptr;
  ask_engine(*engine, {"kill", kept.ids().front()});
  sut.runner = again();
  auto third = sut.run("ps | grep -c '[s]leep 76543'; echo $HOSTNAME");
  INFO(fault_of(third));
  REQUIRE(third);
  CHECK(third->stdout_text == "0\n" + first->stdout_text);
}

TEST_CASE("what was started in a container that stays ends with its owner",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto kept = kept_container{*engine};
  auto sut = live_containers{kept.policy()};
  auto done = std::make_shared<std::promise<void>>();
  auto ended = done->get_future();
  sut.runner->start(sut.shell("setsid sleep 65432 & sleep 65432"),
                    [done](const auto&) { done->set_value(); });
  REQUIRE(sut.run("echo"));
  sut.runner = nullptr;
  ended.wait();
  auto host = find_container_host(sut.policy);
  sut.runner = *make_container_runner(nullptr, *host, sut.where, sut.policy);
  auto left = sut.run("ps | grep -c '[s]leep 65432'");
  REQUIRE(left);
  CHECK(left->stdout_text == "0\n");
}

TEST_CASE("a container that is not what the policy says is not used",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto kept = kept_container{*engine};
  auto first = live_containers{kept.policy()};
  REQUIRE(first.run("echo"));
  first.runner = nullptr;
  for (const auto& change : std::vector<std::function<void(sandbox_settings&)>>{
         [](auto& x) { x.limits.processes = 5; },
         [](auto& x) { x.container->cap_add = {"CHOWN"}; },
         [](auto& x) { x.container->image = "localhost/other:1"; }}) {
    auto policy = kept.policy();
    change(policy);
    auto host = find_container_host(policy);
    auto runner = make_container_runner(nullptr, *host, first.where, policy);
    auto result = test::run(**runner, first.shell("echo"));
    REQUIRE_FALSE(result);
    auto failed = to_fault(result.error());
    CHECK(failed.kind == errc::sandbox);
    CHECK(failed.message.find("was made") != failed.message.npos);
  }
  // Another workspace is another mount.
  auto other = live_containers{kept.policy()};
  CHECK_FALSE(other.run("echo"));
  CHECK(kept.ids().size() == 1);
}

TEST_CASE("a name that two containers have is an error", "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto kept = kept_container{*engine};
  auto label = "troupe.sandbox.id=" + kept.name;
  for (auto i = 0; i < 2; ++i)
    ask_engine(*engine, {"create", "--label", label, engine->image, "/bin/sh"});
  REQUIRE(kept.ids().size() == 2);
  auto sut = live_containers{kept.policy()};
  auto result = sut.run("echo");
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).message.starts_with("2 containers are"));
  CHECK(kept.ids().size() == 2);
}

TEST_CASE("a name is never a part of another, nor a pattern", "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto kept = kept_container{*engine};
  auto longer = kept_container{*engine};
  longer.name += "x";
  ask_engine(*engine, {"create", "--label", "troupe.sandbox.id=" + longer.name,
                       engine->image, "/bin/sh"});
  auto sut = live_containers{kept.policy()};
  auto result = sut.run("echo new");
  INFO(fault_of(result));
  REQUIRE(result);
  CHECK(result->stdout_text == "new\n");
  CHECK(kept.ids().size() == 1);
  CHECK(longer.ids().size() == 1);
  longer.remove();
}

TEST_CASE("containers of an owner that is gone are swept, others are not",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  // A process that was there, and is not any more.
  auto owner = this_owner();
  REQUIRE_FALSE(owner.empty());
  auto gone = "999999999" + owner.substr(owner.find('.'));
  auto create = [&](const std::string& of) {
    return ask_engine(*engine, {"create", "--label", "troupe.owner=" + of,
                                engine->image, "/bin/sh"});
  };
  auto theirs = create(gone).substr(0, 64);
  auto ours = create(owner).substr(0, 64);
  auto odd = create("no owner").substr(0, 64);
  auto sut = live_containers{container_policy(*engine)};
  REQUIRE(sut.run("echo"));
  auto left = ask_engine(*engine, {"ps", "-aq", "--no-trunc"});
  CHECK(left.find(theirs) == left.npos);
  CHECK(left.find(ours) != left.npos);
  CHECK(left.find(odd) != left.npos);
  ask_engine(*engine, {"rm", "-f", ours, odd});
}

TEST_CASE("an owner is gone when its process is, and known here",
          "[container]") {
  auto owner = this_owner();
  CHECK_FALSE(is_gone_owner(owner));
  CHECK(is_gone_owner("999999999" + owner.substr(owner.find('.'))));
  auto boot = owner.rfind('.');
  CHECK(is_gone_owner(owner.substr(0, boot) + ".another-boot"));
  // The same id, started at another time.
  auto pid = owner.find('.');
  auto start = owner.find('.', pid + 1);
  CHECK(is_gone_owner(owner.substr(0, pid) + ".1" + owner.substr(start)));
  // Of another PID namespace.
  CHECK_FALSE(is_gone_owner("999999999.1.1" + owner.substr(boot)));
  for (const auto* odd : {"", "1", "1.2", "1.2.3", "x.2.3.4", "-1.2.3.4"})
    CHECK_FALSE(is_gone_owner(odd));
}

TEST_CASE("an engine's answer that is no list of ids is refused",
          "[container]") {
  CHECK(ids_in("")->empty());
  CHECK(ids_in("ab12\ncd34\n")->size() == 2);
  CHECK_FALSE(ids_in("--all\n"));
  CHECK_FALSE(ids_in("a b\n"));
  CHECK_FALSE(ids_in("Error: no\n"));
}

TEST_CASE("a workspace that was replaced is not shown in a container",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto policy = container_policy(*engine);
  policy.files["source"] = file_access::read_only;
  auto sut = live_containers{policy, {{"source", "src"}}};
  auto spec = sut.shell("cat src/passwd");
  std::filesystem::remove(sut.dir.path() / "src");
  std::filesystem::create_directory_symlink("/etc", sut.dir.path() / "src");
  auto result = test::run(*sut.runner, spec);
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).kind == errc::sandbox);
}

TEST_CASE("a fresh container for each command keeps nothing", "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto policy = container_policy(*engine);
  policy.warm = false;
  auto sut = live_containers{policy};
  auto first = sut.run("echo x > $TMPDIR/x; echo $HOSTNAME");
  INFO(fault_of(first));
  REQUIRE(first);
  auto second = sut.run("ls $TMPDIR; echo $HOSTNAME");
  REQUIRE(second);
  CHECK(second->stdout_text != first->stdout_text);
  CHECK(second->stdout_text.starts_with("home\n"));
  auto id = first->stdout_text.substr(0, 12);
  CHECK(ask_engine(*engine, {"ps", "-aq", "--filter", "id=" + id}).empty());
}

TEST_CASE("a container that is killed from outside ends its commands",
          "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto sut = live_containers{container_policy(*engine)};
  auto host = sut.run("echo $HOSTNAME");
  REQUIRE(host);
  auto result = std::promise<caf::expected<process_result>>{};
  sut.runner->start(sut.shell("sleep 1000"),
                    [&result](auto x) { result.set_value(std::move(x)); });
  ask_engine(*engine, {"kill", host->stdout_text.substr(0, 12)});
  auto ended = result.get_future().get();
  REQUIRE_FALSE(ended);
  CHECK(to_fault(ended.error()).kind == errc::sandbox);
  // The next one gets another container.
  auto next = sut.run("echo $HOSTNAME");
  INFO(fault_of(next));
  REQUIRE(next);
  CHECK(next->stdout_text != host->stdout_text);
}

TEST_CASE("a container ends with the process that owns it", "[container]") {
  const auto* engine = find_live_engine();
  if (engine == nullptr)
    return;
  auto dir = test::temp_dir{};
  auto owner = process_spec{};
  owner.argv = {TROUPE_CONTAINER_OWNER, engine->name, engine->image,
                dir.path().string()};
  owner.directory = "/";
  owner.environment
    = {{"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}};
  owner.wall = std::chrono::seconds{60};
  auto runner = test::make_runner();
  auto result = std::promise<caf::expected<process_result>>{};
  auto id = runner->start(owner, [&result](auto x) {
    result.set_value(std::move(x));
  });
  REQUIRE(test::eventually([&] { return !dir.read("host").empty(); }));
  runner->signal(id, SIGKILL);
  auto ended = result.get_future().get();
  REQUIRE(ended);
  CHECK(ended->signal == SIGKILL);
  auto host = dir.read("host").substr(0, 12);
  // Whatever the engine has left, the next one sweeps.
  auto sut = live_containers{container_policy(*engine)};
  REQUIRE(sut.run("echo"));
  CHECK(test::eventually([&] {
    return ask_engine(*engine, {"ps", "-aq", "--filter", "id=" + host}).empty();
  }));
}
