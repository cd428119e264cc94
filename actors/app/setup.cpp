#include "troupe/actors/app/setup.hpp"

#include "troupe/actors/app/definition_check.hpp"
#include "troupe/actors/app/terminal.hpp"
#include "troupe/config/environment_layer.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/config/parse_units.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <utility>

#include <unistd.h>

namespace troupe::app {

namespace {

namespace fs = std::filesystem;

/// `--set temperature=0.2`: the value is JSON where it is any, else a text.
caf::expected<std::string> object_of(const std::vector<std::string>& pairs,
                                     const char* flag) {
  auto result = nlohmann::json::object();
  for (const auto& pair : pairs) {
    auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      return make_error(errc::configuration, "\"" + pair + "\" is no KEY=VALUE",
                        flag);
    auto text = pair.substr(equals + 1);
    auto value = parse_json(text);
    result[pair.substr(0, equals)] = value ? std::move(*value)
                                           : nlohmann::json(text);
  }
  return dump_json(result);
}

/// What `--set` names: a key path of the configuration, or a field of the
/// model's requests, which has no dot.
bool names_setting(std::string_view key) {
  return key.find('.') != std::string_view::npos || key == "default_model"
         || key == "storage";
}

bool names_file(const std::string& agent) {
  auto ending = fs::path{agent}.extension();
  return agent.find('/') != std::string::npos || ending == ".yaml"
         || ending == ".yml";
}

caf::error add_agent(const options& x, const environment_map& environment,
                     run_setup& out) {
  if (!names_file(x.agent)) {
    out.request.agent = x.agent;
    return {};
  }
  auto found = load_definition_file(x.agent, environment);
  if (!found) {
    // What could be read may have faults as well.
    auto all = check_definitions(out.runtime.settings, x.agent);
    return all ? all : std::move(found.error());
  }
  out.request.agent_file = fs::absolute(x.agent).lexically_normal().string();
  const auto& what = (*found)->what;
  if (const auto* one = std::get_if<agent_settings>(&what)) {
    out.request.agent = one->name;
    out.runtime.agents.emplace_back(*one);
  } else {
    const auto& assembly = std::get<assembly_settings>(what);
    out.request.agent = assembly.name;
    out.runtime.assemblies.push_back(assembly);
  }
  // The file that was named counts, whatever the configuration calls so.
  out.runtime.settings.agents.erase(out.request.agent);
  return {};
}

caf::error fill_request(const options& x, run_request& out) {
  out.session_id = x.session;
  out.actor_id = x.actor;
  out.model = x.model;
  out.permission_mode = x.permission;
  if (!x.workspace.empty())
    out.workspace = fs::absolute(x.workspace).lexically_normal().string();
  if (!x.deadline.empty()) {
    auto limit = parse_duration(x.deadline);
    if (!limit)
      return make_error(errc::configuration, to_fault(limit.error()).message,
                        "--deadline");
    if (limit->count() == 0)
      return make_error(errc::configuration, "must be longer than 0s",
                        "--deadline");
    out.deadline = *limit;
  }
  auto context = object_of(x.context, "--context");
  if (!context)
    return std::move(context.error());
  out.context_json = std::move(*context);
  auto fields = x.settings;
  std::erase_if(fields, [](const std::string& pair) {
    return names_setting(pair.substr(0, pair.find('=')));
  });
  if (fields.empty())
    return {};
  auto settings = object_of(fields, "--set");
  if (!settings)
    return std::move(settings.error());
  out.settings_json = std::move(*settings);
  return {};
}

} // namespace

std::string working_directory() {
  return fs::current_path().string();
}

caf::expected<loaded_settings> settings_for(const options& x) {
  auto request = load_request{};
  request.config_file = x.config_file;
  // `config check FILE` is about that file, whatever lies around it.
  if (!x.file.empty()) {
    request.config_file = x.file;
    request.files = config_files::named_only;
  }
  request.working_directory = working_directory();
  request.environment = process_environment();
  if (!x.store.empty())
    request.overrides.push_back(
      {"storage.path", fs::absolute(x.store).string(), "--store"});
  for (const auto& pair : x.settings)
    if (auto equals = pair.find('='); names_setting(pair.substr(0, equals)))
      request.overrides.push_back(
        {pair.substr(0, equals),
         equals == std::string::npos ? "" : pair.substr(equals + 1), "--set"});
  return load_settings(request);
}

caf::expected<runtime_options> runtime_setup_for(const options& x) {
  auto loaded = settings_for(x);
  if (!loaded)
    return std::move(loaded.error());
  auto result = runtime_options{};
  result.settings = std::move(loaded->settings);
  result.folder = working_directory();
  result.environment = process_environment();
  result.record_to = x.record;
  result.on_log = log_to_stderr(log_level_from(x.log_level));
  if (is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO))
    result.on_ask = ask_on_terminal;
  return result;
}

caf::expected<run_setup> setup_for(const options& x) {
  auto host = runtime_setup_for(x);
  if (!host)
    return std::move(host.error());
  auto result = run_setup{};
  result.runtime = std::move(*host);
  if (auto why = add_agent(x, result.runtime.environment, result))
    return why;
  if (auto why = fill_request(x, result.request))
    return why;
  return result;
}

} // namespace troupe::app
