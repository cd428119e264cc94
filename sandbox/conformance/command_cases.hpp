#pragma once

#include "troupe/sandbox/conformance/support.hpp"

#include <cstdlib>

namespace troupe::backend_conformance::command_cases {

inline void gives_output_and_status(const backend_factory& make) {
  auto on = open(make);
  auto result = run(on, "echo out; echo err >&2; exit 7");
  expect_text(result.stdout_text, "out\n");
  expect_text(result.stderr_text, "err\n");
  expect(result.status == 7 && result.signal == 0, "the status is 7");
  expect(!result.timed_out && !result.truncated && result.limit.empty(),
         "no limit was met");
}

inline void tells_a_signal_from_a_status(const backend_factory& make) {
  auto on = open(make);
  auto killed = run(on, "kill -9 $$");
  expect(killed.signal == 9 && killed.status == 137, "a signal is told");
  auto exited = run(on, "exit 137");
  expect(exited.signal == 0 && exited.status == 137,
         "a status like one is none");
}

inline void passes_arguments_as_they_are(const backend_factory& make) {
  auto on = open(make);
  auto spec = plan(on, {{"sh", "-c", "printf '%s|' \"$@\"", "sh", "", "a b",
                         "c\nd", "é", "$(echo no)", "-x", "*"},
                        {},
                        {},
                        {}});
  auto result = value_of(run(on, spec));
  expect_text(result.stdout_text, "|a b|c\nd|é|$(echo no)|-x|*|");
}

inline void passes_input(const backend_factory& make) {
  auto on = open(make);
  auto text = std::string(300'000, 'x') + '\0' + "\xff end";
  auto result = value_of(run(on, plan(on, {{"cat"}, {}, {}, text})));
  expect(result.stdout_text == text, "bytes come through unchanged");
  auto none = run(on, "cat; echo end");
  expect_text(none.stdout_text, "end\n");
  auto unread = plan(on, {{"sh", "-c", "exit 3"}, {}, {}, text});
  expect(value_of(run(on, unread)).status == 3, "input need not be read");
}

inline void starts_in_the_workspace(const backend_factory& make) {
  auto on = open(make);
  write(on, "sub/a.txt", "from a tool\n");
  auto result = run(on, "cat sub/a.txt; test \"$TROUPE_WORKSPACE_ROOT\" = "
                        "\"$(pwd)\" && echo root; echo made > sub/b.txt");
  expect_text(result.stdout_text, "from a tool\nroot\n");
  expect_text(read(on, "sub/b.txt"), "made\n");
  auto inner = value_of(run(on, plan(on, {{"cat", "b.txt"}, "sub", {}, {}})));
  expect_text(inner.stdout_text, "made\n");
  expect_refusal(on.plan({{"cat"}, "../..", {}, {}}), "a folder outside");
}

inline void gives_what_the_policy_sets(const backend_factory& make) {
  ::setenv("TROUPE_CONFORMANCE_SECRET", "of-the-host", 1);
  auto policy = sandbox_settings{};
  policy.environment["CASE"] = "a b=c\nd";
  auto on = open(make, policy);
  auto result = run(on, "echo \"$CASE\"; env");
  ::unsetenv("TROUPE_CONFORMANCE_SECRET");
  expect(result.stdout_text.starts_with("a b=c\nd\n"), "a variable is set");
  expect(result.stdout_text.find("of-the-host") == std::string::npos,
         "nothing of the host's environment is there");
}

inline void has_places_to_write(const backend_factory& make) {
  auto on = open(make);
  auto result = run(on, "echo a > \"$HOME/.troupe-case\" && cat "
                        "\"$HOME/.troupe-case\" && rm \"$HOME/.troupe-case\";"
                        "f=$(mktemp 2>/dev/null || echo $TMPDIR/case);"
                        "echo b > $f && cat $f && rm $f");
  expect_text(result.stdout_text, "a\nb\n");
}

inline void cuts_output(const backend_factory& make) {
  auto policy = sandbox_settings{};
  policy.limits.output = 1000;
  auto on = open(make, policy);
  auto result = run(on, "i=0; while [ $i -lt 3000 ]; do echo 123456789; "
                        "i=$((i+1)); done; echo end >&2");
  expect(result.truncated, "it is told");
  expect(result.stdout_text.size() == 1000, "the limit is met exactly");
  expect(result.stdout_text.starts_with("123456789\n1"), "the first is kept");
  expect_text(result.stderr_text, "end\n");
}

inline void explains_what_cannot_be_started(const backend_factory& make) {
  auto on = open(make);
  expect_refusal(run(on, plan(on, {{"troupe-no-such-program"}, {}, {}, {}})),
                 "a program that is not there");
  write(on, "data.txt", "no program\n");
  expect_refusal(run(on, plan(on, {{"./data.txt"}, {}, {}, {}})),
                 "a file that cannot be executed");
  expect(!run(on, plan(on, {{}, {}, {}, {}})), "nothing is no command");
  expect(run(on, "echo on").stdout_text == "on\n", "the next one runs");
}

inline void runs_many_at_once(const backend_factory& make) {
  auto on = open(make);
  auto results = std::vector<std::promise<caf::expected<process_result>>>(8);
  for (size_t i = 0; i < results.size(); ++i)
    on.commands->start(shell(on, "echo " + std::to_string(i)),
                       [&result = results[i]](auto x) {
                         result.set_value(std::move(x));
                       });
  for (size_t i = 0; i < results.size(); ++i)
    expect_text(value_of(results[i].get_future().get()).stdout_text,
                std::to_string(i) + "\n");
}

inline backend_cases all() {
  return {
    {"commands", "gives a command's output and status", gives_output_and_status,
     runs_commands},
    {"commands", "tells a signal from a status", tells_a_signal_from_a_status,
     runs_commands},
    {"commands", "passes arguments as they are", passes_arguments_as_they_are,
     runs_commands},
    {"commands", "passes input as it is", passes_input, runs_commands},
    {"commands", "starts commands among the files", starts_in_the_workspace,
     runs_commands},
    {"commands", "sets the policy's environment and no more",
     gives_what_the_policy_sets, runs_commands},
    {"commands", "has places that commands can write", has_places_to_write,
     runs_commands},
    {"commands", "cuts output at its limit", cuts_output, runs_commands},
    {"commands", "explains what cannot be started",
     explains_what_cannot_be_started, runs_commands},
    {"commands", "runs many commands at once", runs_many_at_once,
     runs_commands},
  };
}

} // namespace troupe::backend_conformance::command_cases
