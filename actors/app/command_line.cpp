#include "troupe/actors/app/command_line.hpp"

#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/config/nearest_name.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace troupe::app {

namespace {

void add_common(CLI::App& to, options& out) {
  to.add_option("--config", out.config_file, "Configuration file (YAML)");
  to.add_option("--store", out.store, "Folder of the store");
  to.add_option("--log-level", out.log_level, "error, warn, info or debug")
    ->check(CLI::IsMember({"error", "warn", "info", "debug"}));
  to.add_flag("--json", out.json, "Print JSON");
}

void add_set(CLI::App& to, options& out) {
  to.add_option("--set", out.settings,
                "A field of the model's requests (temperature=0), or a key of "
                "the configuration (limits.max_turns=5)")
    ->type_size(1)
    ->allow_extra_args(false);
}

/// An option whose value, where it is given, says something: that of a variable
/// which is not set must not pass for no option at all.
void add_text(CLI::App& to, const char* name, std::string& out,
              const char* description) {
  to.add_option(name, out, description)->check([](const std::string& value) {
    return std::string{value.empty() ? "must not be empty" : ""};
  });
}

void add_run_flags(CLI::App& to, options& out) {
  add_common(to, out);
  to.add_option("AGENT", out.agent,
                "A name in the configuration, or a file: of an agent or an "
                "assembly")
    ->required();
  to.add_option("--session", out.session, "Conversation to continue or begin");
  to.add_option("--actor", out.actor, "Who asks: keeps conversations apart");
  add_text(to, "--deadline", out.deadline, "Longest time, e.g. 30s or 5m");
  add_text(to, "--workspace", out.workspace, "Folder the agent works in");
  add_text(to, "--model", out.model, "Role, CONNECTION:MODEL or cassette:FILE");
  add_set(to, out);
  to.add_option("--context", out.context, "Application value KEY=VALUE")
    ->type_size(1)
    ->allow_extra_args(false);
  to.add_option("--permission", out.permission,
                "read_only, auto, ask or approve")
    ->check(CLI::IsMember({"read_only", "auto", "ask", "approve"}));
  add_text(to, "--record", out.record,
           "Write the model exchanges to this cassette");
}

void select(CLI::App* on, options& out, command which) {
  on->callback([&out, which] { out.command = which; });
}

void add_run(CLI::App& app, options& out) {
  auto* run = app.add_subcommand("run", "Run an agent to its end");
  run->footer("Example: troupe run guide.yaml \"How many tests are there?\"");
  add_run_flags(*run, out);
  run->add_option("PROMPT", out.prompt, "What to ask; - or none reads stdin")
    ->each([&out](const std::string&) { out.has_prompt = true; });
  run
    ->add_option("--attach", out.attach,
                 "An image, a PDF or a text for the model to see; repeatable")
    ->type_size(1)
    ->allow_extra_args(false);
  run->add_flag("--events", out.events, "Print each event as a JSON line");
  run->add_flag("--no-agent-events", out.no_agent_events,
                "Leave out what the participants of an assembly do");
  run->add_flag("--later", out.later, "Queue it and print its id");
  add_text(*run, "--wait", out.wait, "With --later: not before, e.g. 10m");
  add_text(*run, "--wait-until", out.wait_until,
           "With --later: not before, e.g. 2030-01-31T08:00:00Z");
  run->add_option("--queue", out.queue, "With --later: the queue");
  select(run, out, command::run);
}

void add_chat(CLI::App& app, options& out) {
  auto* chat = app.add_subcommand("chat", "Talk with an agent");
  chat->footer("Example: troupe chat guide.yaml --session monday\n"
               "Ctrl-C cancels the turn, Ctrl-D leaves.");
  add_run_flags(*chat, out);
  select(chat, out, command::chat);
}

CLI::App* add_session_command(CLI::App& to, options& out, const char* name,
                              const char* text, command which) {
  auto* result = to.add_subcommand(name, text);
  result->footer(std::string{"Example: troupe sessions "} + name + " monday");
  add_common(*result, out);
  result->add_option("ID", out.id, "The session")->required();
  result->add_option("--agent", out.agent, "Of this agent only");
  result->add_option("--actor", out.actor, "Of this actor id only");
  select(result, out, which);
  return result;
}

void add_session_transfers(CLI::App& sessions, options& out) {
  auto* import = sessions.add_subcommand("import", "Read one from an export");
  import->footer("Example: troupe sessions import monday.jsonl");
  add_common(*import, out);
  import->add_option("FILE", out.exported,
                     "What export wrote; - or none: stdin");
  select(import, out, command::sessions_import);
  auto* fork = add_session_command(sessions, out, "fork",
                                   "Begin one with the messages of another",
                                   command::sessions_fork);
  fork->footer("Example: troupe sessions fork monday tuesday --at 4");
  fork->add_option("NEW", out.name, "The session to begin")->required();
  fork
    ->add_option("--at", out.at,
                 "Up to the message of this seq, as `show --json` has it")
    ->each([&out](const std::string&) { out.has_at = true; });
  auto* prune = sessions.add_subcommand("prune",
                                        "Remove those nobody uses any more");
  prune->footer("Example: troupe sessions prune --older-than 30d");
  add_common(*prune, out);
  prune->add_option("--older-than", out.older_than, "e.g. 12h or 30d")
    ->required();
  select(prune, out, command::sessions_prune);
}

void add_sessions(CLI::App& app, options& out) {
  auto* sessions = app.add_subcommand("sessions", "Stored conversations");
  sessions->footer("Example: troupe sessions show monday");
  sessions->require_subcommand(1);
  auto* list = sessions->add_subcommand("list", "All of them, newest first");
  list->footer("Example: troupe sessions list --json");
  add_common(*list, out);
  select(list, out, command::sessions_list);
  add_session_command(*sessions, out, "show", "The messages of one",
                      command::sessions_show);
  add_session_command(*sessions, out, "export", "One as JSON lines",
                      command::sessions_export);
  add_session_command(*sessions, out, "delete", "Remove one",
                      command::sessions_delete);
  add_session_transfers(*sessions, out);
}

CLI::App* add_run_command(CLI::App& to, options& out, const char* name,
                          const char* text, command which) {
  auto* result = to.add_subcommand(name, text);
  result->footer(std::string{"Example: troupe runs "} + name
                 + " 0197a3c2-7d5e-7000-8000-3c5d2a1b4e6f");
  add_common(*result, out);
  result->add_option("ID", out.id, "The run")->required();
  select(result, out, which);
  return result;
}

void add_runs_list(CLI::App& runs, options& out) {
  auto* list = runs.add_subcommand("list", "Stored runs, newest first");
  list->footer("Example: troupe runs list --status suspended --json");
  add_common(*list, out);
  list->add_option("--status", out.status, "Of this status only")
    ->check(
      CLI::IsMember({"pending", "queued", "running", "suspended", "completed",
                     "failed", "partial", "cancelled", "interrupted"}));
  list->add_option("--name", out.name, "Of this agent only");
  list->add_option("--kind", out.kind, "agent, workflow, swarm or graph")
    ->check(CLI::IsMember({"agent", "workflow", "swarm", "graph"}));
  list->add_option("--queue", out.queue, "Of this queue only")
    ->each([&out](const std::string&) { out.has_queue = true; });
  list->add_option("--since", out.since,
                   "Made since then: 2030-01-31T08:00:00Z, or 2h ago as 2h");
  list->add_option("--limit", out.limit, "At most so many");
  select(list, out, command::runs_list);
}

void add_runs_resume(CLI::App& runs, options& out) {
  auto* resume = add_run_command(runs, out, "resume", "Go on with one",
                                 command::runs_resume);
  auto* approve = resume->add_flag("--approve", out.approve,
                                   "Allow the call that it waits for");
  resume->add_flag("--deny", out.deny, "Refuse the call that it waits for")
    ->excludes(approve);
  resume->add_option("--reason", out.reason,
                     "What the model is told of a --deny");
  resume->add_option("--call", out.call, "Which call, where several wait");
  resume->add_option("--input", out.input,
                     "What a suspended workflow waits for, as JSON");
  resume->add_flag("--events", out.events, "Print each event as a JSON line");
}

void add_runs(CLI::App& app, options& out) {
  auto* runs = app.add_subcommand("runs", "Stored runs");
  runs->footer("Example: troupe runs list");
  runs->require_subcommand(1);
  add_runs_list(*runs, out);
  add_run_command(*runs, out, "show", "One run", command::runs_show);
  add_run_command(*runs, out, "logs", "The events of one", command::runs_logs)
    ->add_flag("--follow", out.follow, "Go on until the run has ended");
  add_runs_resume(*runs, out);
  add_run_command(*runs, out, "cancel", "End one as cancelled",
                  command::runs_cancel)
    ->add_option("--reason", out.reason, "Why");
  add_run_command(*runs, out, "artifacts", "What one left behind",
                  command::runs_artifacts)
    ->add_option("NAME", out.name, "Write this one to stdout");
  auto* reconcile = runs->add_subcommand(
    "reconcile", "Mark as interrupted what lost its process");
  reconcile->footer("Example: troupe runs reconcile");
  add_common(*reconcile, out);
  select(reconcile, out, command::runs_reconcile);
  auto* prune = runs->add_subcommand("prune", "Remove runs that are over");
  prune->footer(
    "Example: troupe runs prune --older-than 30d --status completed");
  add_common(*prune, out);
  prune->add_option("--older-than", out.older_than, "e.g. 12h or 30d")
    ->required();
  prune->add_option("--status", out.status, "Of this status only")
    ->check(CLI::IsMember({"completed", "failed", "partial", "cancelled"}));
  select(prune, out, command::runs_prune);
}

void add_work(CLI::App& app, options& out) {
  auto* work = app.add_subcommand("work", "Run what is queued and due");
  work->footer("Example: troupe work --once");
  add_common(*work, out);
  work->add_flag("--once", out.once, "End when nothing is due");
  work->add_option("--queue", out.queue, "Of this queue only")
    ->each([&out](const std::string&) { out.has_queue = true; });
  select(work, out, command::work);
}

void add_config(CLI::App& app, options& out) {
  auto* config = app.add_subcommand("config", "The configuration");
  config->footer("Example: troupe config check");
  config->require_subcommand(1);
  auto* check = config->add_subcommand("check", "Validate it and its agents");
  check->footer("Example: troupe config check troupe.yaml");
  add_common(*check, out);
  check->add_option("FILE", out.file,
                    "This configuration, or this agent or assembly");
  add_set(*check, out);
  select(check, out, command::config_check);
  auto* show = config->add_subcommand(
    "show", "What is in effect and where each value comes from");
  show->footer("Example: troupe config show --json");
  add_common(*show, out);
  add_set(*show, out);
  select(show, out, command::config_show);
}

void add_graph(CLI::App& app, options& out) {
  auto* graph = app.add_subcommand("graph", "An assembly as a Mermaid chart");
  graph->footer("Example: troupe graph support_flow.yaml");
  add_common(*graph, out);
  graph->add_option("FILE", out.file, "The file that defines it")->required();
  select(graph, out, command::graph);
}

void add_sandbox(CLI::App& app, options& out) {
  auto* sandbox = app.add_subcommand("sandbox", "Where commands run");
  sandbox->footer("Example: troupe sandbox exec -- ls -la");
  sandbox->require_subcommand(1);
  auto* probe = sandbox->add_subcommand(
    "probe", "Which sandboxes this host can enforce, and why not");
  probe->footer("Example: troupe sandbox probe bubblewrap");
  add_common(*probe, out);
  probe->add_option("BACKEND", out.name, "This one only");
  probe->add_option("--policy", out.file,
                    "Whose container image is tried (YAML)");
  select(probe, out, command::sandbox_probe);
  auto* exec = sandbox->add_subcommand("exec", "Run a command in a sandbox");
  exec->footer(
    "Example: troupe sandbox exec --policy policy.yaml -- make test\n"
    "Without a policy: native, this folder, no network.");
  add_common(*exec, out);
  exec->add_option("--policy", out.file, "What it may do (YAML)");
  exec->add_option("COMMAND", out.arguments, "The command, after --")
    ->required()
    ->type_size(1)
    ->expected(1, 1 << 20);
  // What follows the command is the command's.
  exec->positionals_at_end();
  select(exec, out, command::sandbox_exec);
}

void add_doctor(CLI::App& app, options& out) {
  auto* doctor = app.add_subcommand(
    "doctor", "What is missing on this host, and what mends it");
  doctor->footer("Example: troupe doctor");
  add_common(*doctor, out);
  select(doctor, out, command::doctor);
}

/// CLI11 says of an unknown command only that one is missing.
std::string explain(const CLI::App& app, const CLI::ParseError& wrong, int argc,
                    char** argv) {
  if (argc < 2 || argv[1][0] == '-')
    return wrong.what();
  auto names = std::vector<std::string>{};
  for (const auto* one : app.get_subcommands({})) {
    if (one->get_name() == argv[1])
      return wrong.what();
    names.push_back(one->get_name());
  }
  auto result = "there is no command \"" + std::string{argv[1]} + "\"";
  if (auto near = nearest_name(argv[1], names))
    result += ", did you mean \"" + *near + "\"?";
  return result;
}

std::string help_for(const CLI::App& app, int argc, char** argv) {
  auto command = std::string{};
  for (const auto* one : app.get_subcommands({}))
    if (argc > 1 && one->get_name() == argv[1])
      command = one->get_name() + " ";
  return "troupe " + command + "--help";
}

} // namespace

std::variant<options, int> parse_command_line(int argc, char** argv) {
  auto out = options{};
  CLI::App app{"troupe runs LLM agents as actors.", "troupe"};
  app.set_version_flag("--version", "troupe " TROUPE_VERSION);
  app.footer("Example: troupe run guide.yaml \"How many tests are there?\"");
  app.require_subcommand(1);
  add_run(app, out);
  add_chat(app, out);
  add_sessions(app, out);
  add_runs(app, out);
  add_work(app, out);
  add_graph(app, out);
  add_config(app, out);
  add_sandbox(app, out);
  add_doctor(app, out);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) { // help or the version
    app.exit(done);
    return exit_completed;
  } catch (const CLI::ParseError& wrong) {
    auto what = fault{};
    what.kind = errc::configuration;
    what.message = explain(app, wrong, argc, argv);
    what.where = "command line";
    what.hint = help_for(app, argc, argv);
    report(what);
    return exit_usage;
  }
  return out;
}

} // namespace troupe::app
