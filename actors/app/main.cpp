#include "troupe/actors/app/command_line.hpp"
#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/terminal.hpp"

#include <exception>
#include <variant>

namespace troupe::app {

namespace {

int dispatch(const options& x, interrupts& signals) {
  switch (x.command) {
    case command::run:
      return run_agent(x, signals);
    case command::chat:
      return chat_with_agent(x, signals);
    case command::sessions_list:
      return list_sessions_command(x);
    case command::sessions_show:
      return show_session_command(x);
    case command::sessions_export:
      return export_session_command(x);
    case command::sessions_import:
      return import_session_command(x);
    case command::sessions_fork:
      return fork_session_command(x);
    case command::sessions_prune:
      return prune_sessions_command(x);
    case command::sessions_delete:
      return delete_session_command(x);
    case command::runs_list:
      return list_runs_command(x);
    case command::runs_show:
      return show_run_command(x);
    case command::runs_logs:
      return show_run_logs(x);
    case command::runs_resume:
      return resume_run_command(x, signals);
    case command::runs_cancel:
      return cancel_run_command(x);
    case command::runs_artifacts:
      return show_artifacts(x);
    case command::runs_reconcile:
      return reconcile_runs_command(x);
    case command::runs_prune:
      return prune_runs_command(x);
    case command::work:
      return work_command(x, signals);
    case command::graph:
      return show_graph(x);
    case command::config_check:
      return check_config(x);
    case command::config_show:
      return show_config(x);
    case command::sandbox_probe:
      return probe_sandbox_command(x);
    case command::sandbox_exec:
      return exec_sandbox_command(x, signals);
    case command::doctor:
      return run_doctor(x);
  }
  return exit_usage;
}

/// The code to exit with: what nobody could read is not done.
int finish(int code) {
  if (was_printed())
    return code;
  report(
    make_error(errc::internal, "the output could not be written", "stdout"));
  return code == exit_completed ? exit_failed : code;
}

} // namespace

} // namespace troupe::app

int main(int argc, char** argv) {
  namespace app = troupe::app;
  try {
    app::open_standard_streams();
    // Before any other thread, see there.
    auto signals = app::interrupts{};
    auto parsed = app::parse_command_line(argc, argv);
    if (auto* code = std::get_if<int>(&parsed))
      return app::finish(*code);
    return app::finish(app::dispatch(std::get<app::options>(parsed), signals));
  } catch (const std::exception& why) {
    return app::report(troupe::make_error(troupe::errc::internal, why.what()));
  }
}
