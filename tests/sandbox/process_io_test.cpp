#include "troupe/sandbox/process_io.hpp"

#include "sandbox/process_support.hpp"

#include <chrono>
#include <future>
#include <utility>

using namespace troupe;
using namespace std::chrono_literals;
using test::shell;

namespace {

/// A command that somebody talks with.
class conversation {
public:
  explicit conversation(const std::string& script,
                        std::optional<terminal_size> terminal = {}) {
    auto made = process_thread::make();
    REQUIRE(made);
    auto runner = make_host_runner(*made);
    REQUIRE(runner);
    runner_ = *runner;
    auto io = process_io::make(*made, terminal);
    REQUIRE(io);
    io_ = *io;
    auto spec = shell(script, dir_);
    spec.stdio = io_->stdio();
    auto done = std::make_shared<std::promise<caf::expected<process_result>>>();
    ended_ = done->get_future();
    id_ = runner_->start(std::move(spec), [done](auto result) {
      done->set_value(std::move(result));
    });
    io_->started();
  }

  process_io& io() {
    return *io_;
  }

  caf::error write(std::string text) {
    auto done = std::promise<caf::error>{};
    io_->write(std::move(text),
               [&](caf::error why) { done.set_value(std::move(why)); });
    return done.get_future().get();
  }

  process_chunk read(process_stream from = process_stream::output,
                     caf::timespan timeout = 20s, size_t most = 1 << 16) {
    auto done = std::promise<caf::expected<process_chunk>>{};
    io_->read(from, most, timeout,
              [&](auto chunk) { done.set_value(std::move(chunk)); });
    auto chunk = done.get_future().get();
    REQUIRE(chunk);
    return *chunk;
  }

  /// Reads until `text` has come.
  std::string read_until(const std::string& text) {
    auto result = std::string{};
    while (result.find(text) == std::string::npos) {
      auto chunk = read();
      if (chunk.end || chunk.text.empty())
        break;
      result += chunk.text;
    }
    return result;
  }

  process_result wait() {
    auto result = ended_.get();
    REQUIRE(result);
    return *result;
  }

  void signal(int number) {
    runner_->signal(id_, number);
  }

  void terminate() {
    runner_->terminate(id_);
  }

private:
  test::temp_dir dir_;
  std::shared_ptr<process_runner> runner_;
  std::shared_ptr<process_io> io_;
  process_runner::process_id id_ = 0;
  std::future<caf::expected<process_result>> ended_;
};

} // namespace

TEST_CASE("a command answers what is written to it", "[process_io]") {
  auto x = conversation{"while read -r a; do echo \"got $a\"; done; echo bye"};
  CHECK_FALSE(x.write("one\n"));
  CHECK(x.read().text == "got one\n");
  CHECK_FALSE(x.write("two\nthree\n"));
  CHECK(x.read_until("three\n") == "got two\ngot three\n");
  x.io().close_input();
  CHECK(x.read_until("bye\n") == "bye\n");
  CHECK(x.read().end);
  CHECK(x.wait().status == 0);
}

TEST_CASE("the streams are kept apart and end with the command",
          "[process_io]") {
  auto x = conversation{"echo out; echo err >&2; exit 3"};
  CHECK(x.read(process_stream::errors).text == "err\n");
  CHECK(x.read().text == "out\n");
  CHECK(x.read().end);
  CHECK(x.read(process_stream::errors).end);
  CHECK(x.wait().status == 3);
}

TEST_CASE("a read ends with its time and loses nothing", "[process_io]") {
  auto x = conversation{"read -r a; echo late"};
  auto nothing = x.read(process_stream::output, 1ms);
  CHECK(nothing.text.empty());
  CHECK_FALSE(nothing.end);
  CHECK_FALSE(x.write("go\n"));
  CHECK(x.read().text == "late\n");
}

TEST_CASE("a read is bounded, and a command that floods waits",
          "[process_io]") {
  auto x = conversation{"head -c 1000000 /dev/zero | tr '\\0' x; echo; "
                        "read -r a"};
  auto first = x.read(process_stream::output, 20s, 10);
  CHECK(first.text == "xxxxxxxxxx");
  auto total = first.text.size();
  while (total < 1'000'001)
    total += x.read().text.size();
  CHECK(total == 1'000'001);
  x.io().close_input();
  x.wait();
}

TEST_CASE("two reads of one stream do not share", "[process_io]") {
  auto x = conversation{"read -r a"};
  auto first = std::promise<bool>{};
  x.io().read(process_stream::output, 10, 20s,
              [&](auto chunk) { first.set_value(chunk && chunk->end); });
  auto second = std::promise<caf::error>{};
  x.io().read(process_stream::output, 10, 20s, [&](auto chunk) {
    second.set_value(chunk ? caf::error{} : chunk.error());
  });
  CHECK(to_fault(second.get_future().get()).kind == errc::tool);
  x.io().close_input();
  CHECK(first.get_future().get());
}

TEST_CASE("a command that reads no more does not hang who writes",
          "[process_io]") {
  auto x = conversation{"exec <&-; echo closed; read -r a"};
  CHECK(x.read().text == "closed\n");
  auto failed = x.write(std::string(1 << 20, 'x'));
  CHECK(to_fault(failed).kind == errc::tool);
}

TEST_CASE("closing answers what waits, and may be done twice", "[process_io]") {
  auto x = conversation{"sleep 1000"};
  auto waits = std::promise<bool>{};
  x.io().read(process_stream::output, 10, 1000s,
              [&](auto chunk) { waits.set_value(chunk && chunk->end); });
  x.io().close();
  x.io().close();
  CHECK(waits.get_future().get());
  CHECK(to_fault(x.write("x")).kind == errc::tool);
  x.terminate();
  CHECK(x.wait().signal == SIGTERM);
}

TEST_CASE("a command has a terminal of its own", "[process_io]") {
  auto x = conversation{"test -t 0 && test -t 1 && echo terminal; stty size; "
                        "stty -echo; echo ready; read -r a; stty size; "
                        "read -r b || echo mine >/dev/tty; echo over",
                        terminal_size{30, 100}};
  auto before = x.read_until("ready");
  CHECK(before.find("terminal") != std::string::npos);
  CHECK(before.find("30 100") != std::string::npos);
  x.io().resize({50, 120});
  CHECK_FALSE(x.write("go\n"));
  CHECK(x.read_until("50 120").find("50 120") != std::string::npos);
  x.io().close_input();
  CHECK(x.read_until("over").find("mine") != std::string::npos);
  while (!x.read().end)
    continue;
  CHECK(x.wait().status == 0);
}

TEST_CASE("Ctrl-C on a terminal reaches the command", "[process_io]") {
  auto x = conversation{"trap 'echo caught; exit 9' INT; echo ready; "
                        "while :; do sleep 0.01; done",
                        terminal_size{}};
  x.read_until("ready");
  CHECK_FALSE(x.write("\x03"));
  CHECK(x.read_until("caught").find("caught") != std::string::npos);
  CHECK(x.wait().status == 9);
}

TEST_CASE("a signal reaches the command, which goes on", "[process_io]") {
  auto x = conversation{"trap 'echo heard' USR1; echo ready; "
                        "while ! test -e stop; do sleep 0.01; done; exit 4"};
  x.read_until("ready");
  x.signal(SIGUSR1);
  CHECK(x.read_until("heard").find("heard") != std::string::npos);
  x.signal(SIGKILL);
  CHECK(x.wait().signal == SIGKILL);
  x.signal(SIGUSR1); // nobody is there
}
