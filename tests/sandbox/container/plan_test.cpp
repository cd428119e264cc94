#include "support/catch.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/container/container_plan.hpp"
#include "troupe/sandbox/container/engine_process.hpp"

#include <algorithm>

using namespace troupe;

namespace {

using words = std::vector<std::string>;

sandbox_settings policy_for(const std::string& engine = "docker") {
  auto result = sandbox_settings{};
  result.provider = "container";
  result.container = container_settings{};
  result.container->engine = engine;
  result.container->image = "registry.test:5000/busybox:1@sha256:ab";
  return result;
}

path_grant grant(const std::string& name, const std::string& path,
                 file_access access, int within = -1) {
  auto result = path_grant{};
  result.name = name;
  result.path = path;
  result.access = access;
  result.within = within;
  return result;
}

const auto root_only
  = std::vector<path_grant>{grant("root", "/w", file_access::read_write)};

caf::expected<container_plan>
plan(const sandbox_settings& policy,
     const std::vector<path_grant>& grants = root_only,
     engine_kind kind = engine_kind::docker) {
  auto engine = container_engine{};
  engine.kind = kind;
  auto facts = container_facts{"/opt/troupe-relay", "/tmp/home", 4096, 500};
  return plan_container(engine, grants, policy, facts, {"ID", "OWNER"});
}

words create_of(const sandbox_settings& policy,
                engine_kind kind = engine_kind::docker) {
  auto made = plan(policy, root_only, kind);
  REQUIRE(made);
  return made->create;
}

bool has(const words& list, const words& part) {
  return std::search(list.begin(), list.end(), part.begin(), part.end())
         != list.end();
}

errc kind_of(const sandbox_settings& policy) {
  auto made = plan(policy);
  REQUIRE_FALSE(made);
  return to_fault(made.error()).kind;
}

} // namespace

TEST_CASE("a container has every protection unless the policy drops it",
          "[container]") {
  auto policy = policy_for();
  auto made = plan(policy);
  REQUIRE(made);
  auto digest = made->digest;
  CHECK(made->create
        == words{"create",
                 "--interactive",
                 "--pull",
                 "never",
                 "--network",
                 "none",
                 "--cap-drop",
                 "ALL",
                 "--read-only",
                 "--security-opt",
                 "no-new-privileges",
                 "--memory",
                 "536870912",
                 "--memory-swap",
                 "536870912",
                 "--pids-limit",
                 "130",
                 "--ulimit",
                 "core=0:0",
                 "--ulimit",
                 "nofile=1024:1024",
                 "--shm-size",
                 "67108864",
                 "--tmpfs",
                 "/tmp:rw,nosuid,nodev,exec,mode=1777,size=67108864",
                 "--mount",
                 "type=bind,source=/opt/troupe-relay,"
                 "destination=/troupe-relay,readonly",
                 "--mount",
                 "type=bind,source=/w,destination=/workspace",
                 "--workdir",
                 "/",
                 "--label",
                 "troupe.sandbox.id=ID",
                 "--label",
                 "troupe.owner=OWNER",
                 "--label",
                 "troupe.image=registry.test:5000/busybox:1@sha256:ab",
                 "--label",
                 "troupe.policy=" + digest,
                 "--entrypoint",
                 "/troupe-relay",
                 "--",
                 "registry.test:5000/busybox:1@sha256:ab",
                 "serve",
                 "/tmp/home",
                 "/workspace"});
}

TEST_CASE("a container is given up what its section says, and no more",
          "[container]") {
  auto policy = policy_for();
  auto& x = *policy.container;
  policy.network.mode = "inherit";
  CHECK(has(create_of(policy), {"--network", "none"}));
  x.network = "bridge";
  x.cap_add = {"NET_BIND_SERVICE", "CHOWN"};
  x.readonly_rootfs = false;
  x.pids_limit = 7;
  x.memory = 1 << 20;
  x.cpus = 1.5;
  x.user = "1000:1000";
  x.name = "box-1";
  auto create = create_of(policy);
  CHECK(has(create, {"--network", "bridge"}));
  CHECK(has(create, {"--cap-drop", "ALL", "--cap-add", "NET_BIND_SERVICE",
                     "--cap-add", "CHOWN"}));
  CHECK_FALSE(has(create, {"--read-only"}));
  CHECK(has(create, {"--pids-limit", "7"}));
  CHECK(has(create, {"--memory", "1048576", "--cpus", "1.5"}));
  CHECK(has(create, {"--user", "1000:1000"}));
  CHECK(has(create, {"--name", "box-1"}));
  // The limits of the policy stay.
  x.memory = 1ull << 40;
  x.pids_limit = 100'000;
  create = create_of(policy);
  CHECK(has(create, {"--memory", "536870912"}));
  CHECK(has(create, {"--pids-limit", "130"}));
}

TEST_CASE("no secret of a container's environment is in an argument list",
          "[container]") {
  auto policy = policy_for();
  policy.container->env = {{"TOKEN", "SECRET"}};
  policy.environment = {{"OTHER", "SECRET"}};
  for (const auto& word : create_of(policy))
    CHECK(word.find("SECRET") == word.npos);
}

TEST_CASE("podman is asked for no more than it may have", "[container]") {
  auto create = create_of(policy_for("podman"), engine_kind::podman);
  CHECK(has(create, {"--read-only-tmpfs=false"}));
  CHECK(has(create, {"--http-proxy=false"}));
  CHECK(has(create, {"--ulimit", "nproc=500:500"}));
}

TEST_CASE("values that would be options or more than one are refused",
          "[container]") {
  using refusal = std::function<void(container_settings&)>;
  auto refusals = std::vector<refusal>{
    [](auto& x) { x.image = "--env=INJECTED=1"; },
    [](auto& x) { x.image = "-x"; },
    [](auto& x) { x.image = "a b"; },
    [](auto& x) { x.image = ""; },
    [](auto& x) { x.image = "a\nb"; },
    [](auto& x) { x.name = "--privileged"; },
    [](auto& x) { x.name = "rs*foo"; },
    [](auto& x) { x.network = "container:x"; },
    [](auto& x) { x.network = "ns:/proc/1/ns/net"; },
    [](auto& x) { x.network = "--pid=host"; },
    [](auto& x) { x.user = "-1"; },
    [](auto& x) { x.user = "a b"; },
    [](auto& x) { x.cap_add = {"ALL"}; },
    [](auto& x) { x.cap_add = {"--privileged"}; },
    [](auto& x) { x.cap_add = {"SYS_ADMIN,NET_ADMIN"}; },
    [](auto& x) { x.env = {{"HOST_*", ""}}; },
    [](auto& x) { x.env = {{"A=B", ""}}; },
    [](auto& x) { x.env = {{"", ""}}; },
    [](auto& x) { x.cpus = -1.0; },
    [](auto& x) { x.reconnect = true; },
  };
  for (size_t i = 0; i < refusals.size(); ++i) {
    INFO(i);
    auto policy = policy_for();
    policy.network.mode = "inherit";
    refusals[i](*policy.container);
    CHECK(kind_of(policy) == errc::configuration);
  }
}

TEST_CASE("a container does not get more than the policy", "[container]") {
  auto policy = policy_for();
  policy.container->network = "host";
  CHECK(kind_of(policy) == errc::policy);
  policy = policy_for();
  policy.root_filesystem = "read_only";
  CHECK(kind_of(policy) == errc::policy);
  policy = policy_for();
  policy.network.mode = "allowlist";
  CHECK(kind_of(policy) == errc::sandbox);
  policy = policy_for("apple");
  policy.container->reconnect = true;
  policy.container->name = "a";
  CHECK(kind_of(policy) == errc::configuration);
}

TEST_CASE("binds are read-only unless they say otherwise", "[container]") {
  auto policy = policy_for();
  policy.container->binds
    = {{"/a", "/data/a"}, {"/b", "/data/b:rw"}, {"/c", "/workspace/c/:ro"}};
  auto create = create_of(policy);
  CHECK(has(create, {"type=bind,source=/a,destination=/data/a,readonly"}));
  CHECK(has(create, {"type=bind,source=/b,destination=/data/b"}));
  CHECK(has(create, {"type=bind,source=/c,destination=/workspace/c,readonly"}));
}

TEST_CASE("binds that an engine would take apart, or that hide something, are "
          "refused",
          "[container]") {
  for (const auto& [source, target] :
       std::map<std::string, std::string>{{"/a:/etc:rw", "/x"},
                                          {"/a,readonly=false", "/x"},
                                          {"/a\"", "/x"},
                                          {"a", "/x"},
                                          {"--privileged", "/x"},
                                          {"/a/../etc", "/x"},
                                          {"/1", "x"},
                                          {"/2", "/x:rw:z"},
                                          {"/3", "/x,y"},
                                          {"/4", "/"},
                                          {"/5", "/proc"},
                                          {"/6", "/tmp"},
                                          {"/7", "/dev/shm"},
                                          {"/8", "/workspace"},
                                          {"/9", "/troupe-relay"},
                                          {"/10", "/x\n"}}) {
    INFO(source << " at " << target);
    auto policy = policy_for();
    policy.container->binds = {{source, target}};
    CHECK(kind_of(policy) == errc::policy);
  }
}

TEST_CASE("a bind can be written only where the policy lets commands write",
          "[container]") {
  auto policy = policy_for();
  policy.container->binds = {{"/a", "/workspace/a:rw"}};
  CHECK(plan(policy));
  auto grants
    = std::vector<path_grant>{grant("root", "/w", file_access::read_only)};
  auto made = plan(policy, grants);
  REQUIRE_FALSE(made);
  CHECK(to_fault(made.error()).kind == errc::policy);
}

TEST_CASE("paths of a container lie in each other as they do outside",
          "[container]") {
  auto rw = file_access::read_write;
  auto ro = file_access::read_only;
  auto grants = std::vector<path_grant>{grant("data", "/d", ro),
                                        grant("deep", "/d/x/y", ro, 0),
                                        grant("root", "/w", rw),
                                        grant("source", "/w/src", ro, 2),
                                        grant("build", "/w/out", rw, 2)};
  CHECK(container_paths(grants)
        == words{"/workspaces/data", "/workspaces/data/x/y", "/workspace",
                 "/workspace/src", "/workspace/out"});
  auto made = plan(policy_for(), grants);
  REQUIRE(made);
  // Only what is less than the one around it is mounted again.
  auto targets = words{};
  for (const auto& one : made->mounts)
    targets.push_back(one.target);
  CHECK(targets == words{"/workspaces/data", "/workspace", "/workspace/src"});
}

TEST_CASE("a container's digest changes with all that it may do",
          "[container]") {
  auto digest = [](const sandbox_settings& x) {
    auto made = plan(x);
    REQUIRE(made);
    return made->digest;
  };
  auto policy = policy_for();
  auto before = digest(policy);
  CHECK(digest(policy) == before);
  policy.container->image = "other";
  CHECK(digest(policy) == before);
  for (const auto& change : std::vector<std::function<void(sandbox_settings&)>>{
         [](auto& x) { x.limits.memory /= 2; },
         [](auto& x) { x.limits.processes /= 2; },
         [](auto& x) { x.limits.tmp /= 2; },
         [](auto& x) { x.container->user = "1"; },
         [](auto& x) { x.container->cap_add = {"CHOWN"}; },
         [](auto& x) { x.container->readonly_rootfs = false; },
         [](auto& x) { x.container->binds = {{"/a", "/a"}}; }}) {
    auto changed = policy_for();
    change(changed);
    CHECK(digest(changed) != before);
  }
}

TEST_CASE("what an engine complains about is one clean line", "[container]") {
  CHECK(complaint_in("level=warning msg=x\nError: no such image\n\n")
        == "Error: no such image");
  CHECK(complaint_in("a\x1b[31mb") == "a[31mb");
  CHECK(complaint_in(std::string(5000, 'x')).size() == 400);
  CHECK(complaint_in("").empty());
}
