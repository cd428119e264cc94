// Clients that do what they like.

#include "troupe/sandbox/remote/remote_calls.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/remote/remote_runner.hpp"

#include "sandbox/process_support.hpp"

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>

using namespace troupe;

namespace {

/// A client whose answers a test decides.
struct odd_client : remote_client {
  std::function<caf::expected<std::string>()> on_read;
  std::function<caf::expected<remote_outcome>(std::stop_token)> on_exec;
  std::vector<std::string> last_argv;

  caf::expected<std::string> read(const std::string&) override {
    return on_read();
  }

  caf::error write(const std::string&, const std::string&) override {
    return {};
  }

  caf::expected<remote_outcome> exec(const remote_command& x,
                                     std::stop_token stop) override {
    last_argv = x.argv;
    return on_exec(std::move(stop));
  }

  caf::error close() override {
    return {};
  }
};

/// Holds up calls until it is opened.
class gate {
public:
  void wait() {
    auto guard = std::unique_lock{mutex_};
    changed_.wait(guard, [this] { return open_; });
  }

  void open() {
    auto guard = std::lock_guard{mutex_};
    open_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

process_spec command() {
  auto result = process_spec{};
  result.argv = {"x"};
  result.wall = std::chrono::seconds{60};
  return result;
}

template <class T>
fault fault_in(const caf::expected<T>& x) {
  REQUIRE_FALSE(x);
  return to_fault(x.error());
}

caf::expected<process_result>
run_with(std::function<caf::expected<remote_outcome>(std::stop_token)> f,
         process_spec spec = command()) {
  auto client = std::make_shared<odd_client>();
  client->on_exec = std::move(f);
  auto calls = std::make_shared<remote_calls>(client);
  auto runner = make_remote_runner(nullptr, calls);
  REQUIRE(runner);
  return test::run(**runner, std::move(spec));
}

} // namespace

TEST_CASE("a client that throws has failed", "[remote]") {
  auto thrown = fault_in(run_with([](auto) -> caf::expected<remote_outcome> {
    throw std::runtime_error{"its own\nreasons"};
  }));
  CHECK(thrown.kind == errc::sandbox);
  CHECK(thrown.message == "its ownreasons");
  auto odd = fault_in(
    run_with([](auto) -> caf::expected<remote_outcome> { throw 7; }));
  CHECK(odd.kind == errc::sandbox);
}

TEST_CASE("a client's status is one that commands have", "[remote]") {
  for (const auto& odd : {remote_outcome{"", "", 256, 0, false, false},
                          remote_outcome{"", "", -1, 0, false, false},
                          remote_outcome{"", "", 0, 65, false, false},
                          remote_outcome{"", "", 0, -9, false, false}}) {
    auto result = run_with([odd](auto) { return odd; });
    CHECK(fault_in(result).kind == errc::sandbox);
  }
  // Which of the two is right is clear.
  auto result
    = run_with([](auto) { return remote_outcome{"", "", 0, 9, false, false}; });
  REQUIRE(result);
  CHECK(result->status == 137);
}

TEST_CASE("a client's output is cut at the limit", "[remote]") {
  auto spec = command();
  spec.output = 10;
  auto result = run_with(
    [](auto) {
      return remote_outcome{std::string(1000, 'x'), "few", 0, 0, false, false};
    },
    spec);
  REQUIRE(result);
  CHECK(result->stdout_text == "xxxxxxxxxx");
  CHECK(result->stderr_text == "few");
  CHECK(result->truncated);
}

TEST_CASE("a client's file is no larger than files may be", "[remote]") {
  auto client = std::make_shared<odd_client>();
  client->on_read = [] { return std::string(1000, 'x'); };
  auto sut = remote_calls{client};
  CHECK(sut.read("a", 1000));
  CHECK(fault_in(sut.read("a", 999)).kind == errc::tool);
}

TEST_CASE("a client's words are one clean line of a known kind", "[remote]") {
  auto client = std::make_shared<odd_client>();
  client->on_read = [] {
    return caf::expected<std::string>{
      make_error(errc::permission, "\x1b[2J" + std::string(5000, 'x'))};
  };
  auto sut = remote_calls{client};
  auto failed = fault_in(sut.read("a", 10));
  CHECK(failed.kind == errc::sandbox);
  CHECK(failed.message.size() == 499);
  CHECK(failed.message.starts_with("[2J"));
}

TEST_CASE("a client that does not come back is given up", "[remote]") {
  auto held = std::make_shared<gate>();
  {
    auto client = std::make_shared<odd_client>();
    client->on_read = [held] {
      held->wait();
      return std::string{};
    };
    auto sut = remote_calls{client, std::chrono::milliseconds{20}};
    // Each costs a thread; when none is left there is nothing to wait for.
    for (auto i = 0; i < 8; ++i)
      CHECK(fault_in(sut.read("a", 10)).message.ends_with("does not answer"));
    CHECK(fault_in(sut.read("a", 10)).message.ends_with("no more calls"));
  }
  held->open();
}

TEST_CASE("a command that a client does not end is given up", "[remote]") {
  auto held = std::make_shared<gate>();
  auto client = std::make_shared<odd_client>();
  client->on_exec = [held](auto) {
    held->wait();
    return remote_outcome{};
  };
  auto calls = std::make_shared<remote_calls>(client,
                                              std::chrono::milliseconds{20});
  auto runner = make_remote_runner(nullptr, calls);
  auto spec = command();
  // Counted from when it has begun, with what the way may cost.
  spec.wall = spec.grace = -std::chrono::seconds{5};
  auto result = test::run(**runner, spec);
  CHECK(fault_in(result).kind == errc::sandbox);
  held->open();
}

TEST_CASE("a client hears that a command is to end", "[remote]") {
  auto client = std::make_shared<odd_client>();
  auto begun = std::promise<void>{};
  client->on_exec = [&begun](std::stop_token stop) {
    auto stopped = std::promise<void>{};
    auto on_stop = std::stop_callback{stop,
                                      [&stopped] { stopped.set_value(); }};
    begun.set_value();
    stopped.get_future().wait();
    return remote_outcome{"", "", 0, 15, false, false};
  };
  auto calls = std::make_shared<remote_calls>(client);
  auto runner = make_remote_runner(nullptr, calls);
  auto ended = std::promise<caf::expected<process_result>>{};
  auto id = (*runner)->start(command(),
                             [&ended](auto x) { ended.set_value(x); });
  begun.get_future().wait();
  (*runner)->terminate(id);
  auto result = ended.get_future().get();
  REQUIRE(result);
  CHECK(result->signal == 15);
}

TEST_CASE("a remote sandbox refuses what it cannot do", "[remote]") {
  auto never = [](auto) { return remote_outcome{}; };
  auto alone = command();
  alone.can_spawn = false;
  CHECK(fault_in(run_with(never, alone)).kind == errc::sandbox);
  auto lent = command();
  lent.stdio.input = std::make_shared<unique_fd>();
  CHECK(fault_in(run_with(never, lent)).kind == errc::sandbox);
  auto policy = sandbox_settings{};
  policy.files["root"] = file_access::read_only;
  CHECK(check_remote(policy));
  policy = {};
  policy.files["source"] = file_access::read_write;
  CHECK(check_remote(policy));
  policy = {};
  policy.network.mode = "allowlist";
  CHECK(check_remote(policy));
  policy = {};
  policy.limits.memory = 1 << 20;
  CHECK(to_fault(check_remote(policy)).where == "sandbox.limits.memory");
  policy = {};
  policy.inherit_environment = true;
  CHECK(check_remote(policy));
  policy = {};
  policy.root_filesystem = "read_only";
  CHECK(check_remote(policy));
  policy = {};
  policy.limits.wall = std::chrono::seconds{5};
  policy.limits.output = 100;
  CHECK_FALSE(check_remote(policy));
  CHECK_FALSE(check_remote({}));
}

TEST_CASE("no more of a remote directory is looked at than is wanted",
          "[remote]") {
  auto dir = test::temp_dir{};
  for (auto i = 0; i < 50; ++i)
    dir.write("many/" + std::to_string(i), "x");
  auto client = std::make_shared<odd_client>();
  auto sent = std::string{};
  client->on_exec = [&](auto) -> caf::expected<remote_outcome> {
    auto spec = test::shell("true", dir);
    spec.argv = client->last_argv;
    auto result = test::run(*test::make_runner(), std::move(spec));
    if (!result)
      return std::move(result.error());
    sent = result->stdout_text;
    return remote_outcome{sent, {}, result->status, 0, false, false};
  };
  auto policy = sandbox_settings{};
  policy.limits.list = 10;
  auto files = make_remote_file_space(std::make_shared<remote_calls>(client),
                                      policy);
  REQUIRE(files);
  auto listed = (*files)->list({"many"});
  REQUIRE(listed);
  CHECK(listed->entries.size() == 10);
  CHECK(listed->truncated);
  CHECK(std::count(sent.begin(), sent.end(), '\0') == 11);
}
