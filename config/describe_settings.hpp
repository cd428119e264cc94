#pragma once

#include "troupe/config/provider_presets.hpp"
#include "troupe/config/settings.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

/// A closed set of words.
using word_list = std::span<const std::string_view>;

/// The word of each value of `E`, in the order of the enum.
template <class E>
struct enum_words;

template <>
struct enum_words<file_access> {
  static constexpr auto names = std::array<std::string_view, 2>{"read_only",
                                                                "read_write"};
};

template <>
struct enum_words<permission_mode> {
  static constexpr auto names
    = std::array<std::string_view, 4>{"read_only", "auto", "ask", "approve"};
};

template <>
struct enum_words<result_strategy> {
  static constexpr auto names
    = std::array<std::string_view, 3>{"auto", "native", "tool"};
};

template <>
struct enum_words<durability> {
  static constexpr auto names = std::array<std::string_view, 2>{"full",
                                                                "relaxed"};
};

namespace words {

inline constexpr auto capabilities = std::array<std::string_view, 6>{
  "read", "glob", "write", "shell", "fetch", "search"};
inline constexpr auto workspaces = std::array<std::string_view, 2>{"directory",
                                                                   "temporary"};
inline constexpr auto sandboxes
  = std::array<std::string_view, 8>{"virtual",   "unrestricted", "local",
                                    "native",    "bubblewrap",   "seatbelt",
                                    "container", "remote"};
inline constexpr auto root_filesystems
  = std::array<std::string_view, 3>{"isolated", "read_only", "read_write"};
inline constexpr auto networks
  = std::array<std::string_view, 4>{"none", "inherit", "allowlist", "external"};
inline constexpr auto short_networks
  = std::array<std::string_view, 2>{"none", "inherit"};
inline constexpr auto engines
  = std::array<std::string_view, 3>{"docker", "podman", "apple"};
inline constexpr auto short_storages
  = std::array<std::string_view, 1>{"memory"};

} // namespace words

// One description of every key for all who walk over settings: what reads
// them, what prints them and what lists them. A visitor `f` offers
//
//   f(key, x)                     a value by its type; a struct is a section
//   f.name(key, x)                a name that must be there
//   f.elsewhere(key)              a key that the loader of definitions reads
//   f.word(key, x, allowed)       one of a set of words
//   f.word_list(key, x, allowed)  a list of such words
//   f.word_lists(key, x, allowed) such a word -> a list of texts
//   f.path(key, x)                a path that counts from the file's folder
//   f.paths(key, x)               a name -> such a path
//   f.url(key, x)                 an http:// or https:// URL
//   f.target(key, x, folder)      a model target, and the folder it stands in
//   f.json(key, x)                any mapping, as JSON text
//   f.variables(key, x)           variables of an environment
//   f.texts(key, x)               any text -> a text
//   f.tools(key, x)               the tools of an agent
//   f.section(key, describe)      a section that is no struct of its own
//   f.shorthand(key, x, allowed, describe)  a word, or else a section, in
//                                 which case `x` is empty

template <class F>
void describe(F& f, transfer_timeouts& x) {
  f("connect", x.connect);
  f("first_byte", x.first_byte);
  f("idle", x.idle);
  f("total", x.total);
}

template <class F>
void describe(F& f, retry_settings& x) {
  f("attempts", x.attempts);
  f("base", x.base);
  f("max", x.max);
}

template <class F>
void describe(F& f, provider_settings& x) {
  auto adapter = x.preset.empty() ? x.adapter : x.preset;
  f.word("adapter", adapter, adapter_names());
  x.adapter = std::move(adapter);
  x.preset.clear();
  f.url("base_url", x.base_url);
  f("api_key", x.api_key);
  f("timeouts", x.timeouts);
  f("retry", x.retry);
  f("max_in_flight", x.max_in_flight);
  x = apply_preset(std::move(x));
}

template <class F>
void describe(F& f, model_role& x) {
  f.target("target", x.target, x.folder);
  f.json("settings", x.settings_json);
}

template <class F>
void describe(F& f, workspace_settings& x) {
  f.word("provider", x.provider, words::workspaces);
  f.path("root", x.root);
  f("paths", x.paths);
}

template <class F>
void describe(F& f, sandbox_limits& x) {
  f("wall", x.wall);
  f("cpu", x.cpu);
  f("memory", x.memory);
  f("processes", x.processes);
  f("open_files", x.open_files);
  f("file", x.file);
  f("tmp", x.tmp);
  f("output", x.output);
  f("read", x.read);
  f("write", x.write);
  f("list", x.list);
}

template <class F>
void describe(F& f, artifact_limits& x) {
  f("file", x.file);
  f("message", x.message);
  f("run", x.run);
  f("files", x.files);
}

template <class F>
void describe(F& f, network_settings& x) {
  f.word("mode", x.mode, words::networks);
  f("allow", x.allow);
  f("private", x.allow_private);
  f("gateway", x.gateway);
}

template <class F>
void describe(F& f, container_settings& x) {
  f.word("engine", x.engine, words::engines);
  f("image", x.image);
  f.texts("binds", x.binds);
  f("network", x.network);
  f("cap_add", x.cap_add);
  f("readonly_rootfs", x.readonly_rootfs);
  f("pids_limit", x.pids_limit);
  f("memory", x.memory);
  f("cpus", x.cpus);
  f("user", x.user);
  f.variables("env", x.env);
  f("name", x.name);
  f("reconnect", x.reconnect);
}

template <class F>
void describe(F& f, remote_settings& x) {
  f("command", x.command);
  f("url", x.url);
  f("headers", x.headers);
}

template <class F>
void describe(F& f, sandbox_settings& x) {
  f.word("provider", x.provider, words::sandboxes);
  if (x.provider == "local")
    x.provider = "unrestricted";
  f("files", x.files);
  f("runtime_paths", x.runtime_paths);
  f("unix_sockets", x.unix_sockets);
  f.word("root_filesystem", x.root_filesystem, words::root_filesystems);
  f.section("environment", [&x](auto& g) {
    g("inherit", x.inherit_environment);
    g.variables("set", x.environment);
  });
  auto is_word = x.network.mode == "none" || x.network.mode == "inherit";
  auto network = is_word && x.network.allow.empty() && x.network.gateway.empty()
                     && !x.network.allow_private
                   ? x.network.mode
                   : std::string{};
  f.shorthand("network", network, words::short_networks,
              [&x](auto& g) { describe(g, x.network); });
  if (!network.empty())
    x.network.mode = network;
  f("limits", x.limits);
  f("artifacts", x.artifacts);
  f("warm", x.warm);
  f("container", x.container);
  f("remote", x.remote);
  f("workspace", x.workspace);
}

template <class F>
void describe(F& f, permission_settings& x) {
  f("mode", x.mode);
  f.word_list("allow", x.allow, words::capabilities);
  f("mcp_allow", x.mcp_allow);
  f.word_lists("ask_when", x.ask_when, words::capabilities);
  f.word_lists("approve_when", x.approve_when, words::capabilities);
}

template <class F>
void describe(F& f, storage_settings& x) {
  f.path("path", x.path);
  f("map_size", x.map_size);
  f("durability", x.durability);
}

template <class F>
void describe(F& f, concurrency_settings& x) {
  f("workers", x.workers);
  f("blocking_pool", x.blocking_pool);
  f("max_in_flight", x.max_in_flight);
  f("tool_calls", x.tool_calls);
}

template <class F>
void describe(F& f, limit_settings& x) {
  f("max_turns", x.max_turns);
  f("max_tool_calls", x.max_tool_calls);
  f("deadline", x.deadline);
  f("max_tokens", x.max_tokens);
  f("max_depth", x.max_depth);
}

template <class F>
void describe(F& f, limit_overrides& x) {
  f("max_turns", x.max_turns);
  f("max_tool_calls", x.max_tool_calls);
  f("deadline", x.deadline);
  f("max_tokens", x.max_tokens);
  f("max_depth", x.max_depth);
}

/// The keys of `troupe.yaml` but for `version`.
template <class F>
void describe(F& f, settings& x) {
  f("providers", x.providers);
  f("models", x.models);
  f.target("default_model", x.default_model, x.default_model_folder);
  auto storage = std::string{x.storage.in_memory ? "memory" : ""};
  f.shorthand("storage", storage, words::short_storages,
              [&x](auto& g) { describe(g, x.storage); });
  x.storage.in_memory = storage == "memory";
  f("workspace", x.workspace);
  f("sandbox", x.sandbox);
  f("permissions", x.permissions);
  f("concurrency", x.concurrency);
  f("limits", x.limits);
  f.paths("agents", x.agents);
}

/// The keys of an agent file.
template <class F>
void describe(F& f, agent_settings& x) {
  f.name("agent", x.name);
  f("description", x.description);
  f.target("model", x.model, x.folder);
  f("system_prompt", x.system_prompt);
  f.path("system_template", x.system_template);
  f.tools("tools", x.tools);
  f.elsewhere("subagents");
  f("permissions", x.permissions);
  f("sandbox", x.sandbox);
  f("workspace", x.workspace);
  f("limits", x.limits);
  f("produces", x.produces);
  f.json("result_schema", x.result_schema_json);
  f("result_strategy", x.result_strategy);
}

/// A struct that `describe` knows.
template <class T>
concept settings_section = requires(int& f, T& x) { describe(f, x); };

/// A type whose values have words in `enum_words`.
template <class T>
concept worded = requires { enum_words<T>::names; };

} // namespace troupe
