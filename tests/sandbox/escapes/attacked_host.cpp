#include "sandbox/escapes/attacked_host.hpp"

#include "support/catch.hpp"

#include "troupe/config/load_agent.hpp"
#include "troupe/sandbox/backend_report.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <random>
#include <sstream>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::test {

namespace {

namespace fs = std::filesystem;

constexpr auto set_id = fs::perms::set_uid | fs::perms::set_gid;

std::string make_secret() {
  auto random = std::random_device{};
  return "hidden-" + std::to_string(random()) + std::to_string(random());
}

// Sleeps where nobody in a sandbox can see it.
pid_t start_victim() {
  auto pid = ::fork();
  if (pid == 0) {
    // Bounded, should its parent be killed.
    ::alarm(300);
    for (;;)
      ::pause();
  }
  return pid;
}

bool has_something(const unique_fd& fd) {
  auto what = pollfd{fd.get(), POLLIN, 0};
  return ::poll(&what, 1, 0) > 0;
}

void bind_to(const unique_fd& fd, const sockaddr_un& at, size_t name_size) {
  auto size
    = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_size);
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), size) == 0);
}

} // namespace

attacked_host::attacked_host() : secret_(make_secret()) {
  top_.write("outside/secret.txt", secret_ + "\n");
  top_.write("W/hello.txt", "hello\n");
  top_.write("W/source/given.txt", "given\n");
  fs::create_directories(top_.path() / "tools");
  fs::copy_file(TROUPE_ATTACKER, top_.path() / "tools/attacker");
  fs::permissions(top_.path() / "tools/attacker", fs::perms{0755});
  // The folder may be reached; what guards the secret is the sandbox.
  fs::permissions(top_.path(), fs::perms{0755});
  victim_ = start_victim();
  shared_ = ::shmget(IPC_PRIVATE + 0x5253 + ::getpid(), 4096, IPC_CREAT | 0666);
  listen();
  leave_open();
  outside_before_ = look_outside();
}

attacked_host::~attacked_host() {
  ::kill(victim_, SIGKILL);
  ::waitpid(victim_, nullptr, 0);
  if (shared_ >= 0)
    ::shmctl(shared_, IPC_RMID, nullptr);
}

void attacked_host::listen() {
  streams_ = unique_fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  auto at = sockaddr_in{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto size = socklen_t{sizeof at};
  auto* address = reinterpret_cast<sockaddr*>(&at);
  REQUIRE(::bind(streams_.get(), address, sizeof at) == 0);
  REQUIRE(::listen(streams_.get(), 8) == 0);
  REQUIRE(::getsockname(streams_.get(), address, &size) == 0);
  port_ = ntohs(at.sin_port);
  datagrams_ = unique_fd{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  auto path = sockaddr_un{};
  path.sun_family = AF_UNIX;
  auto name = workspace_path() + "/datagrams";
  REQUIRE(name.size() < sizeof path.sun_path);
  std::strcpy(path.sun_path, name.c_str());
  bind_to(datagrams_, path, sizeof path.sun_path);
  abstract_ = unique_fd{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  auto hidden = sockaddr_un{};
  hidden.sun_family = AF_UNIX;
  auto label = "troupe-" + std::to_string(port_);
  std::strcpy(hidden.sun_path + 1, label.c_str());
  bind_to(abstract_, hidden, 1 + label.size());
}

// As a careless library would: without O_CLOEXEC.
void attacked_host::leave_open() {
  auto outside = (top_.path() / "outside").string();
  auto file = outside + "/secret.txt";
  leaked_.emplace_back(::open(outside.c_str(), O_RDONLY | O_DIRECTORY));
  leaked_.emplace_back(::open(outside.c_str(), O_PATH | O_DIRECTORY));
  leaked_.emplace_back(::open(file.c_str(), O_RDONLY));
  auto pair = std::array<int, 2>{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) == 0);
  leaked_.emplace_back(pair[0]);
  leaked_.emplace_back(pair[1]);
  terminal_ = unique_fd{::posix_openpt(O_RDWR | O_NOCTTY)};
  REQUIRE(::grantpt(terminal_.get()) == 0);
  REQUIRE(::unlockpt(terminal_.get()) == 0);
}

std::string attacked_host::workspace_path() const {
  return (top_.path() / "W").string();
}

std::map<std::string, std::string> attacked_host::variables() const {
  auto tools = (top_.path() / "tools").string();
  return {{"W", workspace_path()},
          {"OUTSIDE", (top_.path() / "outside").string()},
          {"SECRET", (top_.path() / "outside/secret.txt").string()},
          {"TOP", top_.path().string()},
          {"TOOLS", tools},
          {"VICTIM", std::to_string(victim_)},
          {"PORT", std::to_string(port_)},
          {"DATAGRAMS", workspace_path() + "/datagrams"},
          {"ABSTRACT", "troupe-" + std::to_string(port_)},
          {"SHM_KEY", std::to_string(IPC_PRIVATE + 0x5253 + ::getpid())},
          {"PATH", "/usr/bin:/bin:/usr/sbin:/sbin:" + tools}};
}

sandbox_settings attacked_host::policy(const std::string& changes,
                                       bool warm) const {
  // JSON is YAML; of two equal members none may stand.
  auto text = changes.size() > 2 ? changes.substr(0, changes.rfind('}')) + ","
                                 : std::string{"{"};
  auto usual = [&](const std::string& name, const std::string& value) {
    if (changes.find("\"" + name + "\":") == std::string::npos)
      text += "\"" + name + "\":" + value + ",";
  };
  auto path = top_.path().string();
  usual("provider", "bubblewrap");
  usual("files", R"({"root":"read_write","source":"read_only"})");
  usual("runtime_paths", R"({"tools":"read_only"})");
  usual("warm", warm ? "true" : "false");
  usual("workspace", "{\"root\":\"" + workspace_path()
                       + "\",\"paths\":{\"source\":\"source\",\"tools\":\""
                       + path + "/tools\"}}");
  text.back() = '}';
  auto file = top_.write("policy.yaml", text);
  auto result = load_sandbox_file(file, {});
  INFO(text);
  INFO((result ? std::string{} : caf::to_string(result.error())));
  REQUIRE(result);
  return *result;
}

std::shared_ptr<workspace>
attacked_host::open(const sandbox_settings& policy) const {
  REQUIRE(policy.workspace);
  auto result = workspace::open(*policy.workspace, top_.path().string());
  INFO((result ? std::string{} : caf::to_string(result.error())));
  REQUIRE(result);
  return *result;
}

std::string attacked_host::look_outside() const {
  auto names = std::vector<std::string>{};
  for (const auto& entry :
       fs::recursive_directory_iterator{top_.path() / "outside"})
    names.push_back(entry.path().string());
  for (const auto& entry : fs::directory_iterator{top_.path()})
    if (entry.path().filename() != "policy.yaml")
      names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  auto result = std::ostringstream{};
  for (const auto& name : names)
    result << name << '\n';
  result << top_.read("outside/secret.txt")
         << fs::file_size(top_.path() / "tools/attacker")
         << top_.read("W/source/given.txt");
  return result.str();
}

std::string attacked_host::damage() const {
  if (::waitpid(victim_, nullptr, WNOHANG) != 0)
    return "a process of the host was killed";
  if (look_outside() != outside_before_)
    return "files outside the workspace were changed";
  if (has_something(streams_))
    return "a listener of the host was reached";
  if (has_something(datagrams_) || has_something(abstract_))
    return "a datagram reached the host";
  for (const auto& entry : fs::recursive_directory_iterator{workspace_path()})
    if (entry.is_regular_file()
        && (entry.status().permissions() & set_id) != fs::perms::none)
      return "a set-id file was left: " + entry.path().string();
  auto typed = std::array<char, 64>{};
  if (has_something(terminal_)
      && ::read(terminal_.get(), typed.data(), typed.size()) > 0
      && std::string{typed.data()}.find("INJECT") != std::string::npos)
    return "something was typed into the terminal";
  return {};
}

std::shared_ptr<unique_fd> attacked_host::terminal() const {
  auto name = std::array<char, 128>{};
  REQUIRE(::ptsname_r(terminal_.get(), name.data(), name.size()) == 0);
  return std::make_shared<unique_fd>(
    ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
}

bool can_open_sandboxes() {
  auto host = find_bubblewrap_host();
  auto failed = host ? probe_bubblewrap(nullptr, *host) : host.error();
  if (!failed)
    return true;
  WARN("skipped: no sandbox can be opened here: " << caf::to_string(failed));
  return false;
}

bool has_scopes() {
  constexpr auto call_create_ruleset = 444L;
  constexpr auto ask_version = 1U;
  return ::syscall(call_create_ruleset, nullptr, 0, ask_version) >= 6;
}

bubblewrap_host host_parts() {
  auto result = find_bubblewrap_host();
  REQUIRE(result);
  return *result;
}

} // namespace troupe::test
