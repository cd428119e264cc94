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
  sessions_delete,
  config_check,
  config_show,
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
  std::string session;
  std::string actor;
  std::string deadline;
  std::string workspace;
  std::string model;
  std::vector<std::string> settings;
  std::vector<std::string> context;
  std::string permission;
  std::string record;
  // Of sessions.
  std::string id;
  // Of config check.
  std::string file;
};

} // namespace troupe::app
