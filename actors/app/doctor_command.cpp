#include "troupe/actors/app/commands.hpp"
#include "troupe/actors/app/exit_code.hpp"
#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/setup.hpp"
#include "troupe/sandbox/backend_report.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/storage/store.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace troupe::app {

namespace {

using json = nlohmann::ordered_json;

/// One thing that was looked at.
struct finding {
  std::string what;
  /// Empty: all is well.
  std::string problem;
  /// What to type.
  std::string remedy;
  /// Whether troupe cannot work without it.
  bool is_needed = true;
};

finding from(std::string what, const caf::error& why) {
  auto result = finding{std::move(what), {}, {}};
  if (!why)
    return result;
  auto failed = to_fault(why);
  result.problem = render(failed);
  result.remedy = failed.hint;
  return result;
}

finding look_at_warden() {
  auto runner = make_host_runner();
  return from("commands of the unrestricted sandbox",
              runner ? caf::error{} : runner.error());
}

finding look_at_store(const settings& settings) {
  if (settings.storage.in_memory)
    return {"store (in memory)", {}, {}};
  auto store = make_lmdb_store(settings.storage);
  return from("store in " + settings.storage.path,
              store ? caf::error{} : store.error());
}

// The essential escapes are really tried: what a kernel promises is not always
// what a host keeps.
finding look_at_bubblewrap() {
  auto what = std::string{"bubblewrap, for the native sandbox"};
  auto host = find_bubblewrap_host();
  auto tried
    = caf::expected<std::vector<escape_trial>>{std::vector<escape_trial>{}};
  if (host)
    tried = try_escapes(nullptr, *host);
  auto result = from(what, !host    ? host.error()
                           : !tried ? tried.error()
                                    : caf::error{});
  result.is_needed = false;
  if (!tried)
    return result;
  for (const auto& one : *tried)
    if (!one.contained) {
      result.problem += (result.problem.empty() ? "a command can " : ", ")
                        + one.what;
      result.remedy = "do not run untrusted commands on this host";
    }
  return result;
}

finding look_at_provider(const std::string& name,
                         const provider_settings& provider) {
  auto result = finding{"provider " + name, {}, {}, false};
  if (provider.adapter != "cassette" && provider.api_key.empty()
      && provider.base_url.find("//localhost") == std::string::npos
      && provider.base_url.find("//127.") == std::string::npos) {
    result.problem = "it has no api_key";
    result.remedy = "set providers." + name + ".api_key";
  }
  return result;
}

// What it lets through is known to who runs it.
std::optional<finding> look_at_gateway(const network_settings& network) {
  if (network.mode != "external")
    return std::nullopt;
  return finding{"external gateway " + network.gateway, "it is not verified",
                 "from a sandbox, try what it must refuse", false};
}

std::vector<finding> look_around(const options& x) {
  auto result = std::vector<finding>{};
  auto loaded = settings_for(x);
  result.push_back(
    from("configuration", loaded ? caf::error{} : loaded.error()));
  if (loaded) {
    result.push_back(look_at_store(loaded->settings));
    for (const auto& [name, provider] : loaded->settings.providers)
      result.push_back(look_at_provider(name, provider));
  }
  result.push_back(look_at_warden());
  result.push_back(look_at_bubblewrap());
  if (loaded)
    if (auto found = look_at_gateway(loaded->settings.sandbox.network))
      result.push_back(std::move(*found));
  return result;
}

} // namespace

int run_doctor(const options& x) {
  auto code = exit_completed;
  auto list = json::array();
  for (const auto& one : look_around(x)) {
    auto is_well = one.problem.empty();
    if (!is_well && one.is_needed)
      code = exit_failed;
    list.push_back(
      {{"check", one.what},
       {"ok", is_well},
       {"needed", one.is_needed},
       {"problem", is_well ? json(nullptr) : json(one.problem)},
       {"remedy", one.remedy.empty() ? json(nullptr) : json(one.remedy)}});
    if (x.json)
      continue;
    std::cout << (is_well         ? "ok       "
                  : one.is_needed ? "missing  "
                                  : "optional ")
              << one.what << (is_well ? "" : ": " + one.problem) << '\n';
    if (!one.remedy.empty())
      std::cout << "         → " << one.remedy << '\n';
  }
  if (x.json)
    std::cout << list.dump(2) << '\n';
  return code;
}

} // namespace troupe::app
