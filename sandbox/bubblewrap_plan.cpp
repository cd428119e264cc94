#include "troupe/sandbox/bubblewrap_plan.hpp"

#include "troupe/config/allow_list.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/sandbox/init/scope.hpp"
#include "troupe/sandbox/setup_packet.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>

#include <unistd.h>

namespace troupe {

namespace {

using init::step_kind;
using words = std::vector<std::string>;

// On the one file system that is ours in every sandbox.
constexpr auto init_path = "/dev/.troupe-init";

constexpr auto system_directories = std::array{
  "/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32",
};

constexpr auto etc_entries = std::array{
  "/etc/alternatives", "/etc/ca-certificates", "/etc/ca-certificates.conf",
  "/etc/fonts",        "/etc/inputrc",         "/etc/ld.so.cache",
  "/etc/ld.so.conf",   "/etc/ld.so.conf.d",    "/etc/localtime",
  "/etc/magic",        "/etc/mime.types",      "/etc/protocols",
  "/etc/services",     "/etc/ssl/certs",       "/etc/ssl/openssl.cnf",
  "/etc/terminfo",     "/etc/timezone",        "/etc/xdg",
};

constexpr auto device_files = std::array{
  "/dev/null",   "/dev/zero",    "/dev/full",
  "/dev/random", "/dev/urandom", "/dev/tty",
};

// Files of the kernel that the user who owns them may write, whatever
// namespace he is in.
constexpr auto proc_read_only = std::array{
  "/proc/acpi", "/proc/bus",  "/proc/fs",
  "/proc/irq",  "/proc/mtrr", "/proc/pressure",
  "/proc/scsi", "/proc/sys",  "/proc/sysrq-trigger",
};

// What tells of the host and not of the sandbox.
constexpr auto proc_masked = std::array{
  "/proc/cmdline",     "/proc/config.gz",     "/proc/kallsyms",
  "/proc/kcore",       "/proc/key-users",     "/proc/keys",
  "/proc/kmsg",        "/proc/kpagecgroup",   "/proc/kpagecount",
  "/proc/kpageflags",  "/proc/latency_stats", "/proc/modules",
  "/proc/sched_debug", "/proc/slabinfo",      "/proc/timer_list",
  "/proc/timer_stats", "/proc/vmallocinfo",
};

void append(words& to, std::initializer_list<std::string> more) {
  to.insert(to.end(), more);
}

caf::error check_grants(const std::vector<path_grant>& grants) {
  for (const auto& grant : grants)
    for (const auto* taken : {"/dev", "/proc", "/sys"})
      if (grant.path == "/" || is_within(grant.path, taken))
        return make_error(errc::policy,
                          in_quotes(grant.path)
                            + " cannot be a workspace of a sandbox",
                          "workspace." + grant.name,
                          "name a directory of its own; root_filesystem shows "
                          "the host's files");
  return {};
}

// A filter of system calls does not see where a socket connects to. So with
// sockets of the family, all that is shown is in reach: not the host's files,
// nor the abstract names of its network, unless the kernel keeps those apart.
caf::error check_unix_sockets(const std::vector<path_grant>& grants,
                              const sandbox_settings& policy,
                              const host_layout& host) {
  constexpr auto key = "sandbox.unix_sockets";
  if (policy.unix_sockets.empty())
    return {};
  if (policy.root_filesystem != "isolated")
    return make_error(errc::policy,
                      "every socket of the host would be in reach", key,
                      "root_filesystem: isolated");
  if (policy.network.mode == "inherit" && !host.has_socket_scope)
    return make_error(errc::sandbox,
                      "with the host's network its abstract sockets would be "
                      "in reach: this kernel has no Landlock scope for them",
                      key, "network: none, or Linux 6.12 with Landlock");
  for (const auto& name : policy.unix_sockets)
    if (std::none_of(grants.begin(), grants.end(),
                     [&](const auto& one) { return one.name == name; }))
      return make_error(errc::policy,
                        in_quotes(name) + " is no path of this sandbox", key);
  return {};
}

// The ports that entries are about; each has been checked when it was read.
std::set<uint16_t> ports_of(const network_settings& network) {
  auto result = std::set<uint16_t>{};
  for (const auto& text : network.allow)
    if (auto entry = parse_allow_entry(text))
      result.insert(entry->port);
  return result;
}

/// Puts a plan together, step by step in the order that mounts need.
class planner {
public:
  planner(const std::vector<path_grant>& grants, const sandbox_settings& policy,
          const std::string& home, const host_layout& host,
          const bubblewrap_programs& programs)
    : grants_(grants),
      policy_(policy),
      home_(home),
      host_(host),
      programs_(programs),
      isolated_(policy.root_filesystem == "isolated"),
      own_tmp_(policy.root_filesystem != "read_write") {
    // nop
  }

  bubblewrap_plan make() {
    add_namespaces();
    add_root();
    add_devices();
    if (own_tmp_)
      append(arguments_, {"--tmpfs", "/tmp"});
    add_workspace();
    append(arguments_, {"--ro-bind", programs_.init, init_path});
    append(arguments_, {"--chdir", "/", "--", init_path});
    add_steps();
    if (!policy_.unix_sockets.empty())
      setup_.allow_unix_sockets();
    // Not the init, with which all would end.
    setup_.kill_commands_first();
    if (!host_.has_cgroup)
      setup_.watch_limits(policy_.limits.memory, policy_.limits.processes);
    return {std::move(arguments_), setup_.bytes(), std::move(sockets_)};
  }

private:
  void add_namespaces() {
    append(arguments_, {programs_.bubblewrap, "--unshare-user", "--unshare-pid",
                        "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"});
    if (policy_.network.mode != "inherit")
      append(arguments_, {"--unshare-net"});
    append(arguments_,
           {"--as-pid-1", "--die-with-parent", "--new-session", "--hostname",
            "sandbox", "--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN",
            "--cap-add", "CAP_SETPCAP"});
    if (policy_.network.mode == "allowlist")
      append(arguments_, {"--cap-add", "CAP_NET_BIND_SERVICE", "--cap-add",
                          "CAP_NET_ADMIN"});
  }

  void add_root() {
    if (isolated_) {
      for (const auto& [path, target] : host_.system) {
        if (target.empty())
          append(arguments_, {"--ro-bind", path, path});
        else
          append(arguments_, {"--symlink", target, path});
      }
      for (const auto& path : host_.etc)
        append(arguments_, {"--ro-bind", path, path});
      append(arguments_, {"--dir", "/run", "--dir", "/var", "--symlink", "/run",
                          "/var/run", "--symlink", "/tmp", "/var/tmp"});
    } else if (own_tmp_) {
      // Sockets of the host's services and its kernel's tree stay out.
      append(arguments_,
             {"--ro-bind", "/", "/", "--tmpfs", "/run", "--tmpfs", "/sys"});
    } else {
      append(arguments_, {"--bind", "/", "/"});
    }
    append(arguments_, {"--proc", "/proc"});
  }

  void add_devices() {
    append(arguments_, {"--tmpfs", "/dev"});
    for (const auto& path : host_.devices)
      append(arguments_, {"--dev-bind", path, path});
    append(arguments_,
           {"--symlink", "/proc/self/fd", "/dev/fd", "--symlink",
            "/proc/self/fd/0", "/dev/stdin", "--symlink", "/proc/self/fd/1",
            "/dev/stdout", "--symlink", "/proc/self/fd/2", "/dev/stderr",
            "--tmpfs", "/dev/shm"});
  }

  // bubblewrap follows links in a destination, also such that a sandboxed
  // program has put there. So it mounts only what lies in no other path that
  // can be written; the rest is up to the init.
  void add_workspace() {
    for (const auto& grant : grants_) {
      if (grant.within >= 0 || !own_tmp_)
        continue;
      const auto* how = grant.access == file_access::read_write ? "--bind"
                                                                : "--ro-bind";
      append(arguments_, {how, grant.path, grant.path});
    }
  }

  void add_steps() {
    for (const auto& grant : grants_)
      add_grant(grant);
    if (own_tmp_) {
      limit("/tmp", policy_.limits.tmp);
      setup_.add(step_kind::directory, "/tmp/home");
    }
    limit("/dev/shm", policy_.limits.tmp);
    if (isolated_)
      add_etc();
    if (policy_.network.mode == "allowlist")
      add_network();
    else if (policy_.network.mode == "external")
      add_socket(socket_use::external, step_kind::listen_tcp, "127.0.0.1",
                 proxy_port(policy_.network));
    for (const auto* path : proc_read_only)
      setup_.add(step_kind::read_only, path);
    for (const auto* path : proc_masked)
      setup_.add(step_kind::mask, path);
    // They are the host's files: who owns them there could change their mode.
    for (const auto& path : host_.devices)
      setup_.add(step_kind::seal, path);
    setup_.add(step_kind::seal, "/dev");
    if (isolated_)
      setup_.add(step_kind::seal, "/");
    else if (own_tmp_)
      for (const auto* path : {"/run", "/sys"})
        setup_.add(step_kind::seal, path);
  }

  void add_grant(const path_grant& grant) {
    setup_.add(step_kind::verify, grant.path, {}, grant.device, grant.inode);
    auto around = own_tmp_ ? file_access::read_only : file_access::read_write;
    auto base = std::string{"/"};
    if (grant.within >= 0) {
      around = grants_[static_cast<size_t>(grant.within)].access;
      base = grants_[static_cast<size_t>(grant.within)].path;
    } else if (own_tmp_) {
      return;
    }
    // The access of what it lies in is never the narrower one.
    if (around == grant.access)
      return;
    auto beneath = grant.path.substr(base == "/" ? 1 : base.size() + 1);
    setup_.add(step_kind::nest, beneath, base, grant.device, grant.inode);
  }

  void limit(const std::string& path, uint64_t bytes) {
    constexpr auto bytes_an_inode = 4096;
    constexpr auto fewest_inodes = uint64_t{256};
    setup_.add(step_kind::tmpfs, path, {}, bytes,
               std::max(fewest_inodes, bytes / bytes_an_inode));
  }

  void add_socket(socket_use use, step_kind kind, const char* address,
                  uint16_t port) {
    setup_.add(kind, address, {}, port);
    sockets_.push_back(use);
  }

  void add_network() {
    constexpr auto resolver = "/dev/.troupe-resolv.conf";
    setup_.add(step_kind::file, resolver, "nameserver 127.0.0.1\n");
    if (isolated_)
      setup_.add(step_kind::file, "/etc/resolv.conf", "");
    setup_.add(step_kind::cover, "/etc/resolv.conf", resolver);
    // Programs that ask for names of configured families only take a host with
    // no address but 127.0.0.1 for one without a network.
    setup_.add(step_kind::address, "127.0.0.2");
    add_socket(socket_use::proxy, step_kind::listen_tcp, "127.0.0.1",
               proxy_port(policy_.network));
    add_socket(socket_use::dns, step_kind::bind_udp, "127.0.0.1", 53);
    for (auto port : ports_of(policy_.network))
      add_socket(socket_use::transparent, step_kind::listen_tcp, "0.0.0.0",
                 port);
  }

  // Enough for programs that ask who they are and where names come from.
  void add_etc() {
    auto user = std::to_string(host_.user);
    auto group = std::to_string(host_.group);
    auto name = std::string{host_.user == 0 ? "root" : "sandbox"};
    for (const auto* path : {"/etc", "/etc/ssl"})
      setup_.add(step_kind::directory, path);
    setup_.add(step_kind::file, "/etc/passwd",
               name + ":x:" + user + ":" + group + "::" + home_ + ":/bin/sh\n"
                 + "nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n");
    setup_.add(step_kind::file, "/etc/group",
               name + ":x:" + group + ":\nnogroup:x:65534:\n");
    setup_.add(step_kind::file, "/etc/hosts",
               "127.0.0.1 localhost sandbox\n::1 localhost sandbox\n");
    setup_.add(step_kind::file, "/etc/nsswitch.conf",
               "passwd: files\ngroup: files\nhosts: files dns\n"
               "services: files\nprotocols: files\n");
    setup_.add(step_kind::file, "/etc/hostname", "sandbox\n");
  }

  const std::vector<path_grant>& grants_;
  const sandbox_settings& policy_;
  const std::string& home_;
  const host_layout& host_;
  const bubblewrap_programs& programs_;
  bool isolated_;
  bool own_tmp_;
  words arguments_;
  setup_packet setup_;
  std::vector<socket_use> sockets_;
};

} // namespace

host_layout look_at_host() {
  namespace fs = std::filesystem;
  auto result = host_layout{};
  auto ignored = std::error_code{};
  for (const auto* path : system_directories) {
    if (fs::is_symlink(path, ignored))
      result.system[path] = fs::read_symlink(path, ignored).string();
    else if (fs::is_directory(path, ignored))
      result.system[path] = {};
  }
  for (const auto* path : etc_entries)
    if (fs::exists(path, ignored))
      result.etc.emplace_back(path);
  for (const auto* path : device_files)
    if (fs::exists(path, ignored))
      result.devices.emplace_back(path);
  result.user = ::getuid();
  result.group = ::getgid();
  result.has_socket_scope = init::can_enter_scope();
  return result;
}

uint16_t proxy_port(const network_settings& network) {
  auto taken = ports_of(network);
  auto result = uint16_t{3128};
  while (taken.count(result) > 0)
    ++result;
  return result;
}

caf::expected<bubblewrap_plan>
plan_bubblewrap(const std::vector<path_grant>& grants,
                const sandbox_settings& policy, const std::string& home,
                const host_layout& host, const bubblewrap_programs& programs) {
  if (auto failed = check_grants(grants))
    return failed;
  if (auto failed = check_unix_sockets(grants, policy, host))
    return failed;
  if (ports_of(policy.network).size() + 2 > init::max_sockets)
    return make_error(errc::policy, "too many different ports", "network.allow",
                      "name at most " + std::to_string(init::max_sockets - 2));
  return planner{grants, policy, home, host, programs}.make();
}

} // namespace troupe
