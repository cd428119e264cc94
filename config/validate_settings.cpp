#include "troupe/config/validate_settings.hpp"

#include "troupe/config/allow_list.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/config/layers.hpp"
#include "troupe/config/nearest_name.hpp"
#include "troupe/config/parse_units.hpp"
#include "troupe/config/provider_presets.hpp"
#include "troupe/config/resolve_model.hpp"
#include "troupe/config/yaml_reader.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

class checker {
public:
  void fail(std::string path, std::string message, std::string hint = {}) {
    issues_.push_back({std::move(path), std::move(message), std::move(hint)});
  }

  void at_least_one(std::string path, uint64_t x) {
    if (x == 0)
      fail(std::move(path), "must be at least 1");
  }

  void positive(std::string path, caf::timespan x) {
    if (x.count() <= 0)
      fail(std::move(path), "must be longer than 0s");
  }

  void resolves(std::string path, const settings& x, std::string_view name) {
    auto model = resolve_model(x, name);
    if (model)
      return;
    auto why = to_fault(model.error());
    fail(std::move(path), std::move(why.message), std::move(why.hint));
  }

  void check_role(std::string path, const settings& x,
                  const std::string& name) {
    if (x.models.at(name).target.empty())
      fail(std::move(path), "missing");
    else
      resolves(std::move(path), x, name);
  }

  void check(const std::string& path, const provider_settings& x) {
    auto resolved = apply_preset(x);
    if (resolved.adapter != "cassette" && resolved.base_url.empty())
      fail(path + ".adapter", "`" + x.adapter + "` is not known");
    at_least_one(path + ".max_in_flight", x.max_in_flight);
    at_least_one(path + ".retry.attempts", x.retry.attempts);
    positive(path + ".timeouts.connect", x.timeouts.connect);
    positive(path + ".timeouts.first_byte", x.timeouts.first_byte);
    positive(path + ".timeouts.idle", x.timeouts.idle);
    positive(path + ".timeouts.total", x.timeouts.total);
    if (x.retry.base > x.retry.max)
      fail(path + ".retry.base",
           "is longer than retry.max, " + format_duration(x.retry.max));
  }

  void check(const std::string& path, const sandbox_settings& x) {
    if (!x.network.allow.empty() && x.network.mode != "allowlist")
      fail(path + "network.allow", "counts in mode allowlist only",
           "write mode: allowlist beside it");
    if (x.network.mode == "allowlist")
      check_allowed(path + "network.allow", x.network.allow);
    check_gateway(path + "network.gateway", x.network);
    if ((x.network.mode == "allowlist" || x.network.mode == "external")
        && (x.provider == "unrestricted" || x.provider == "local"))
      fail(path + "network.mode",
           "nothing holds the commands of unrestricted to a way out",
           "write provider: native");
    check_unix_sockets(path + "unix_sockets", x);
    if (x.provider == "container"
        && (!x.container || (x.container->image.empty() && !x.container->name)))
      fail(path + "container.image", "missing");
    check_remote(path + "remote", x);
    if (x.container)
      at_least_one(path + "container.pids_limit", x.container->pids_limit);
    positive(path + "limits.wall", x.limits.wall);
    positive(path + "limits.cpu", x.limits.cpu);
    at_least_one(path + "limits.memory", x.limits.memory);
    at_least_one(path + "limits.processes", x.limits.processes);
    at_least_one(path + "limits.open_files", x.limits.open_files);
    at_least_one(path + "limits.list", x.limits.list);
  }

  void check_allowed(const std::string& path,
                     const std::vector<std::string>& entries) {
    for (size_t i = 0; i < entries.size(); ++i)
      if (auto entry = parse_allow_entry(entries[i]); !entry) {
        auto why = to_fault(entry.error());
        fail(path + '[' + std::to_string(i) + ']', std::move(why.message),
             std::move(why.hint));
      }
  }

  void check_gateway(const std::string& path, const network_settings& x) {
    constexpr auto form = "write HOST:PORT, for example 127.0.0.1:3128";
    auto is_external = x.mode == "external";
    if (!is_external && !x.gateway.empty())
      fail(path, "counts in mode external only",
           "write mode: external beside it");
    if (!is_external)
      return;
    if (x.gateway.empty())
      return fail(path, "missing", form);
    auto entry = parse_allow_entry(x.gateway);
    if (!entry)
      fail(path, to_fault(entry.error()).message, form);
    else if (entry->is_wildcard)
      fail(path, '`' + x.gateway + "` is more than one host", form);
  }

  void check_remote(const std::string& path, const sandbox_settings& x) {
    constexpr auto form = "write command: [PROGRAM] or url: http://HOST:PORT/";
    if (x.provider == "remote" && !x.remote)
      return fail(path, "missing", form);
    if (!x.remote)
      return;
    const auto& to = *x.remote;
    if (to.command.empty() == to.url.empty())
      return fail(path, "needs a command or a url, and not both", form);
    if (!to.command.empty() && to.command.front().empty())
      fail(path + ".command[0]", "is empty", form);
    if (!to.url.empty() && !to.url.starts_with("http://"))
      fail(path + ".url", "expected a URL that begins with http://",
           "what is not on this host belongs behind a tunnel");
    if (to.url.empty() && !to.headers.empty())
      fail(path + ".headers", "count with a url only");
  }

  // A filter of system calls sees no address, so what is not named is kept out
  // of reach by not being there.
  void check_unix_sockets(const std::string& path, const sandbox_settings& x) {
    if (x.unix_sockets.empty())
      return;
    if (x.provider != "native" && x.provider != "bubblewrap")
      fail(path, "only native can tell sockets by where they lie",
           "write provider: native");
    else if (x.root_filesystem != "isolated")
      fail(path, "every socket of the host would be in reach",
           "write root_filesystem: isolated");
    auto names = std::vector<std::string>{};
    for (const auto* paths : {&x.files, &x.runtime_paths})
      for (const auto& [name, access] : *paths)
        names.push_back(name);
    for (size_t i = 0; i < x.unix_sockets.size(); ++i)
      check_path_name(path + '[' + std::to_string(i) + ']', x.unix_sockets[i],
                      names);
  }

  void check_path_name(std::string path, const std::string& name,
                       const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end())
      return;
    auto near = nearest_name(name, known);
    fail(std::move(path), '`' + name + "` is no path of files or runtime_paths",
         near ? "did you mean `" + *near + "`?" : "add it to runtime_paths");
  }

  std::vector<settings_issue> take() {
    return std::move(issues_);
  }

private:
  std::vector<settings_issue> issues_;
};

caf::error to_error(const std::vector<settings_issue>& issues,
                    const std::string& where) {
  if (issues.empty())
    return caf::none;
  auto faults = std::vector<fault>{};
  for (const auto& x : issues) {
    auto& what = faults.emplace_back();
    what.kind = errc::configuration;
    what.message = x.path + ": " + x.message;
    what.where = where;
    what.hint = x.hint;
  }
  return make_error(faults);
}

} // namespace

std::vector<settings_issue> find_issues(const settings& x) {
  auto f = checker{};
  for (const auto& [name, provider] : x.providers) {
    f.check("providers." + name, provider);
    if (name == "cassette" && provider.adapter != "cassette")
      f.fail("providers." + name, "targets of this name play a cassette",
             "choose another name");
  }
  for (const auto& [name, role] : x.models)
    f.check_role("models." + name + ".target", x, name);
  // A role that leads nowhere has its own issue.
  if (!x.default_model.empty() && x.models.count(x.default_model) == 0)
    f.resolves("default_model", x, {});
  f.at_least_one("storage.map_size", x.storage.map_size);
  f.check("sandbox.", x.sandbox);
  f.at_least_one("concurrency.blocking_pool", x.concurrency.blocking_pool);
  f.at_least_one("concurrency.max_in_flight", x.concurrency.max_in_flight);
  f.at_least_one("concurrency.tool_calls", x.concurrency.tool_calls);
  f.at_least_one("limits.max_turns", x.limits.max_turns);
  f.positive("limits.deadline", x.limits.deadline);
  f.at_least_one("limits.max_depth", x.limits.max_depth);
  return f.take();
}

std::vector<settings_issue> find_issues(const agent_settings& x) {
  auto f = checker{};
  if (x.sandbox)
    f.check("sandbox.", *x.sandbox);
  if (x.limits.max_turns)
    f.at_least_one("limits.max_turns", *x.limits.max_turns);
  if (x.limits.deadline)
    f.positive("limits.deadline", *x.limits.deadline);
  if (x.limits.max_depth)
    f.at_least_one("limits.max_depth", *x.limits.max_depth);
  return f.take();
}

std::vector<settings_issue> find_issues(const sandbox_settings& x) {
  auto f = checker{};
  f.check({}, x);
  return f.take();
}

void report_issues(const std::vector<settings_issue>& issues,
                   yaml_reader& reader,
                   const std::map<std::string, std::string>& places,
                   const std::string& within, const std::string& section) {
  for (const auto& x : issues) {
    auto inner = section + x.path;
    auto path = within.empty() ? inner : within + "." + inner;
    if (!reader.has_fault(path))
      reader.fail(path, place_of_key(places, inner), x.message, x.hint);
  }
}

caf::error validate(const settings& x) {
  return to_error(find_issues(x), {});
}

caf::error validate(const agent_settings& agent, const settings& x) {
  auto issues = find_issues(agent);
  auto f = checker{};
  f.resolves("model", x, agent.model);
  for (auto& issue : f.take())
    issues.push_back(std::move(issue));
  return to_error(issues, agent.source);
}

} // namespace troupe
