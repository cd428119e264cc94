#include "troupe/sandbox/container/container_plan.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/sha256.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>
#include <initializer_list>
#include <locale>
#include <sstream>

namespace troupe {

namespace {

using words = std::vector<std::string>;

// Each command has a warden, and the container a relay.
constexpr auto helpers = uint64_t{2};

constexpr auto largest_shared_memory = uint64_t{64} << 20;

void add(words& to, std::initializer_list<std::string> more) {
  to.insert(to.end(), more);
}

// Nothing that an option of an engine takes apart.
bool can_be_shown(const std::string& path) {
  return path.starts_with('/') && path.find("/../") == path.npos
         && !path.ends_with("/..")
         && std::none_of(path.begin(), path.end(), [](char c) {
              return c == ',' || c == ':' || c == '"'
                     || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
            });
}

caf::error refuse_path(const std::string& path, const std::string& where) {
  return make_error(errc::policy,
                    in_quotes(path)
                      + " cannot be shown in a container: a path there is "
                        "absolute and has no comma, colon, quote, control "
                        "character or \"..\"",
                    where);
}

caf::expected<std::vector<container_mount>>
mount_grants(const std::vector<path_grant>& grants) {
  auto targets = container_paths(grants);
  auto result = std::vector<container_mount>{};
  for (size_t i = 0; i < grants.size(); ++i) {
    const auto& one = grants[i];
    if (!can_be_shown(one.path) || !can_be_shown(targets[i]))
      return refuse_path(one.path, "workspace." + one.name);
    // One inside another is there already, unless less may be done in it.
    if (one.within >= 0
        && grants[static_cast<size_t>(one.within)].access == one.access)
      continue;
    result.push_back({one.path, targets[i], one.access, one.device, one.inode});
  }
  return result;
}

bool lie_in_each_other(const std::string& x, const std::string& y) {
  return is_within(x, y) || is_within(y, x);
}

// "PATH" and "PATH:ro" can be read only, "PATH:rw" written too.
caf::expected<container_mount> read_bind(const std::string& source,
                                         std::string target) {
  auto result = container_mount{};
  if (target.ends_with(":rw"))
    result.access = file_access::read_write;
  if (target.ends_with(":rw") || target.ends_with(":ro"))
    target.resize(target.size() - 3);
  while (target.size() > 1 && target.ends_with('/'))
    target.pop_back();
  result.source = source;
  result.target = std::move(target);
  constexpr auto where = "sandbox.container.binds";
  if (!can_be_shown(result.source))
    return refuse_path(result.source, where);
  if (!can_be_shown(result.target))
    return refuse_path(result.target, where);
  for (const auto* taken : {relay_path, "/proc", "/sys", "/dev", "/tmp"})
    if (lie_in_each_other(result.target, taken))
      return make_error(errc::policy,
                        in_quotes(result.target) + " is taken in a container",
                        where);
  return result;
}

caf::error add_binds(const container_settings& x,
                     std::vector<container_mount>& to) {
  auto ours = to.size();
  for (const auto& [source, target] : x.binds) {
    auto one = read_bind(source, target);
    if (!one)
      return one.error();
    for (size_t i = 0; i < to.size(); ++i) {
      // Deeper is fine; over what the policy shows nothing is put.
      auto& other = to[i].target;
      if (other == one->target || (i < ours && is_within(other, one->target)))
        return make_error(errc::policy,
                          in_quotes(one->target)
                            + " would cover another path of the container",
                          "sandbox.container.binds");
      if (i < ours && is_within(one->target, other)
          && one->access > to[i].access)
        return make_error(errc::policy,
                          in_quotes(one->target)
                            + " lies in what can be read only",
                          "sandbox.container.binds");
    }
    to.push_back(std::move(*one));
  }
  return {};
}

std::string number(double x) {
  auto out = std::ostringstream{};
  out.imbue(std::locale::classic());
  out << x;
  return out.str();
}

void add_mount(words& to, const container_mount& x) {
  auto text = "type=bind,source=" + x.source + ",destination=" + x.target;
  if (x.access == file_access::read_only)
    text += ",readonly";
  add(to, {"--mount", std::move(text)});
}

void add_privileges(words& to, engine_kind kind, const container_settings& x) {
  add(to, {"--cap-drop", "ALL"});
  for (const auto& one : x.cap_add)
    add(to, {"--cap-add", one});
  if (x.readonly_rootfs)
    add(to, {"--read-only"});
  if (x.user)
    add(to, {"--user", *x.user});
  // Apple's containers are virtual machines, which have no such thing.
  if (kind != engine_kind::apple)
    add(to, {"--security-opt", "no-new-privileges"});
  // Otherwise it adds file systems of any size.
  if (kind == engine_kind::podman && x.readonly_rootfs)
    add(to, {"--read-only-tmpfs=false"});
  if (kind == engine_kind::podman)
    add(to, {"--http-proxy=false"});
}

void add_limits(words& to, engine_kind kind, const sandbox_settings& policy,
                const container_facts& facts) {
  const auto& x = *policy.container;
  const auto& limits = policy.limits;
  auto memory
    = std::to_string(std::min(x.memory.value_or(limits.memory), limits.memory));
  add(to, {"--memory", memory});
  if (x.cpus)
    add(to, {"--cpus", number(*x.cpus)});
  if (kind == engine_kind::apple) {
    add(to, {"--tmpfs", "/tmp"});
    return;
  }
  auto processes = std::min<uint64_t>(x.pids_limit, limits.processes + helpers);
  auto files = std::to_string(std::min<uint64_t>(
    facts.open_files, std::max<uint64_t>(limits.open_files, 1024)));
  add(to,
      {"--memory-swap", memory, "--pids-limit", std::to_string(processes),
       "--ulimit", "core=0:0", "--ulimit", "nofile=" + files + ":" + files});
  // Podman would ask for more than it may have itself.
  if (kind == engine_kind::podman) {
    auto most = std::to_string(facts.processes);
    add(to, {"--ulimit", "nproc=" + most + ":" + most});
  }
  auto shared = std::min(limits.tmp, largest_shared_memory);
  add(to, {"--shm-size", std::to_string(shared), "--tmpfs",
           "/tmp:rw,nosuid,nodev,exec,mode=1777,size="
             + std::to_string(limits.tmp)});
}

// Of all that decides what commands can do there.
caf::expected<std::string> digest_of(const words& options) {
  auto text = std::string{};
  for (const auto& one : options)
    text.append(one).push_back('\0');
  return sha256_of(text);
}

void add_labels(words& to, const container_settings& x,
                const container_labels& labels, const std::string& digest) {
  auto label = [&to](const std::string& name, const std::string& value) {
    if (!value.empty())
      add(to, {"--label", name + "=" + value});
  };
  label("troupe.sandbox.id", labels.id);
  label("troupe.owner", labels.owner);
  label("troupe.image", x.image);
  label("troupe.policy", digest);
  if (x.name)
    add(to, {"--name", *x.name});
}

} // namespace

std::vector<std::string>
container_paths(const std::vector<path_grant>& grants) {
  auto result = words{};
  for (const auto& one : grants) {
    if (one.within < 0) {
      result.push_back(one.name == "root" ? "/workspace"
                                          : "/workspaces/" + one.name);
      continue;
    }
    auto outer = static_cast<size_t>(one.within);
    auto base = grants[outer].path == "/" ? size_t{0}
                                          : grants[outer].path.size();
    result.push_back(result[outer] + one.path.substr(base));
  }
  return result;
}

std::string container_home(const std::vector<path_grant>& grants) {
  auto paths = container_paths(grants);
  for (size_t i = 0; i < grants.size(); ++i)
    if (grants[i].name == "home" && grants[i].access == file_access::read_write)
      return paths[i];
  return "/tmp/home";
}

caf::expected<container_plan>
plan_container(const container_engine& engine,
               const std::vector<path_grant>& grants,
               const sandbox_settings& policy, const container_facts& facts,
               const container_labels& labels) {
  if (auto failed = check_container(policy))
    return failed;
  const auto& x = *policy.container;
  auto mounts = mount_grants(grants);
  if (!mounts)
    return std::move(mounts.error());
  if (auto failed = add_binds(x, *mounts))
    return failed;
  if (!can_be_shown(facts.relay))
    return refuse_path(facts.relay, "troupe-relay");
  auto options = words{"--network",
                       policy.network.mode == "none" ? "none" : x.network};
  add_privileges(options, engine.kind, x);
  add_limits(options, engine.kind, policy, facts);
  add_mount(options, {facts.relay, relay_path, file_access::read_only, 0, 0});
  for (const auto& one : *mounts)
    add_mount(options, one);
  add(options, {"--workdir", "/"});
  auto digest = digest_of(options);
  if (!digest)
    return std::move(digest.error());
  auto result = container_plan{};
  auto& create = result.create;
  create = {"create"};
  // Without --rm: an engine that removes it by itself, while it is removed by
  // its id, has been seen to leave it half removed.
  if (!x.reconnect)
    add(create, {"--interactive"});
  // An image is code: it is fetched by who decided to run it.
  if (engine.kind != engine_kind::apple)
    add(create, {"--pull", "never"});
  create.insert(create.end(), options.begin(), options.end());
  add_labels(create, x, labels, *digest);
  add(create, {"--entrypoint", relay_path, "--", x.image});
  if (x.reconnect) {
    add(create, {"rest"});
  } else {
    add(create, {"serve", facts.home});
    for (const auto& one : *mounts)
      add(create, {one.target});
  }
  result.mounts = std::move(*mounts);
  result.home = facts.home;
  result.digest = std::move(*digest);
  return result;
}

} // namespace troupe
