#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::app {

/// Which command was typed.
enum class command : uint8_t {
  run,
  chat,
  sessions_list,
  sessions_show,
  sessions_export,
  sessions_import,
  sessions_fork,
  sessions_delete,
  sessions_prune,
  runs_list,
  runs_show,
  runs_logs,
  runs_resume,
  runs_cancel,
  runs_artifacts,
  runs_reconcile,
  runs_prune,
  work,
  graph,
  config_check,
  config_show,
  sandbox_probe,
  sandbox_exec,
  doctor,
};

/// The command line as typed; empty fields were not.
struct options {
  app::command command = command::run;
  // Of all commands.
  std::string config_file;
  std::string store;
  std::string log_level = "warn";
  bool json = false;
  // Of run and chat.
  std::string agent;
  std::string prompt;
  bool has_prompt = false;
  bool events = false;
  bool no_agent_events = false;
  std::string session;
  std::string actor;
  std::string deadline;
  std::string workspace;
  std::string model;
  std::vector<std::string> settings;
  std::vector<std::string> context;
  std::string permission;
  std::string record;
  std::vector<std::string> attach;
  bool later = false;
  std::string wait;
  std::string wait_until;
  // Of run and work; of runs list.
  std::string queue;
  bool has_queue = false;
  // Of sessions and runs.
  std::string id;
  std::string status;
  std::string kind;
  std::string name;
  std::string since;
  uint64_t limit = 1000;
  bool follow = false;
  bool approve = false;
  bool deny = false;
  std::string reason;
  std::string call;
  std::string input;
  std::string older_than;
  uint64_t at = 0;
  bool has_at = false;
  std::string exported;
  // Of work.
  bool once = false;
  // Of config check; the policy of sandbox exec.
  std::string file;
  // Of sandbox exec.
  std::vector<std::string> arguments;
};

} // namespace troupe::app
