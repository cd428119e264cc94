#pragma once

#include "troupe/actors/app/interrupts.hpp"
#include "troupe/actors/app/options.hpp"

namespace troupe::app {

// Each command, to the code that the program exits with.

int run_agent(const options& x, interrupts& signals);
int chat_with_agent(const options& x, interrupts& signals);
int list_sessions_command(const options& x);
int show_session_command(const options& x);
int delete_session_command(const options& x);
int export_session_command(const options& x);
int import_session_command(const options& x);
int fork_session_command(const options& x);
int prune_sessions_command(const options& x);
int list_runs_command(const options& x);
int show_run_command(const options& x);
int show_run_logs(const options& x);
int resume_run_command(const options& x, interrupts& signals);
int cancel_run_command(const options& x);
int show_artifacts(const options& x);
int reconcile_runs_command(const options& x);
int prune_runs_command(const options& x);
int work_command(const options& x, interrupts& signals);
int show_graph(const options& x);
int check_config(const options& x);
int show_config(const options& x);
int probe_sandbox_command(const options& x);
int exec_sandbox_command(const options& x, interrupts& signals);
int run_doctor(const options& x);

} // namespace troupe::app
