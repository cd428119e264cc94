#pragma once

#include "troupe/sandbox/conformance/support.hpp"

#include <csignal>
#include <thread>

namespace troupe::backend_conformance::end_cases {

/// Whether a file is there soon, as tools see it.
inline bool appears(const opened_backend& on, const std::string& path) {
  constexpr auto tries = 6000;
  for (auto i = 0; i < tries; ++i) {
    if (on.files->read({path, 1, 0}))
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return false;
}

/// What would show that a tree of processes lives on: a child, detached as far
/// as it can be, that waits for a file and answers with another.
constexpr auto detached
  = "(trap '' TERM HUP; while [ ! -e ask ]; do sleep 0.02 || exit; done; "
    "echo alive > answer) </dev/null >/dev/null 2>&1 & echo > started;";

inline void expect_gone(const opened_backend& on,
                        const where& at = where::current()) {
  write(on, "ask", "", at);
  // It had time to be ended, and would answer within its next look.
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  expect(!on.files->read({"answer", 1, 0}), "nothing of the command is left",
         at);
}

inline void ends_a_tree_when_time_is_over(const backend_factory& make) {
  auto on = open(make);
  auto spec = shell(on, std::string{"trap '' TERM;"} + detached
                          + "while :; do sleep 0.1; done");
  spec.wall = std::chrono::milliseconds{700};
  spec.grace = std::chrono::milliseconds{100};
  auto result = value_of(run(on, spec));
  expect(result.timed_out, "it is told that time was over");
  expect_text(result.limit, "wall");
  expect(read(on, "started") == "\n", "it had begun");
  expect_gone(on);
}

inline void ends_what_a_command_leaves(const backend_factory& make) {
  auto on = open(make);
  auto result = run(on, std::string{detached} + "echo done");
  expect_text(result.stdout_text, "done\n");
  expect_gone(on);
}

inline void ends_what_is_terminated(const backend_factory& make) {
  auto on = open(make);
  auto ended = std::promise<caf::expected<process_result>>{};
  auto id
    = on.commands->start(shell(on, std::string{detached} + "sleep 1000"),
                         [&ended](auto x) { ended.set_value(std::move(x)); });
  expect(appears(on, "started"), "it begins");
  on.commands->terminate(id);
  on.commands->terminate(id);
  auto result = ended.get_future().get();
  expect(!result || result->status != 0, "it did not succeed");
  expect_gone(on);
}

inline void ends_everything_with_its_runner(const backend_factory& make) {
  auto on = open(make);
  auto ended = std::promise<void>{};
  on.commands->start(shell(on, std::string{detached} + "sleep 1000"),
                     [&ended](const auto&) { ended.set_value(); });
  expect(appears(on, "started"), "it begins");
  on.commands = nullptr;
  ended.get_future().wait();
  expect_gone(on);
}

inline void passes_signals(const backend_factory& make) {
  auto on = open(make);
  auto ended = std::promise<caf::expected<process_result>>{};
  auto id = on.commands->start(
    shell(on, "trap 'echo usr; exit 5' USR1; echo > started;"
              "while :; do sleep 0.02; done"),
    [&ended](auto x) { ended.set_value(std::move(x)); });
  expect(appears(on, "started"), "it begins");
  on.commands->signal(id, SIGUSR1);
  auto result = value_of(ended.get_future().get());
  expect_text(result.stdout_text, "usr\n");
  expect(result.status == 5, "it ended as it wanted to");
}

inline backend_cases all() {
  return {
    {"ends", "ends a whole tree when its time is over",
     ends_a_tree_when_time_is_over, runs_commands},
    {"ends", "ends what a command leaves behind", ends_what_a_command_leaves,
     runs_commands},
    {"ends", "ends the tree of a command that is terminated",
     ends_what_is_terminated, runs_commands},
    {"ends", "ends everything with its runner", ends_everything_with_its_runner,
     runs_commands},
    {"ends", "passes signals on", passes_signals, has_streams},
  };
}

} // namespace troupe::backend_conformance::end_cases
