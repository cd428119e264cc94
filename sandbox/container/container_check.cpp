#include "troupe/config/errc.hpp"
#include "troupe/sandbox/container/container_plan.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>
#include <string_view>

namespace troupe {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word_character(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

// Begins with a letter or a digit: never with what makes it an option.
bool is_plain(std::string_view text, std::string_view also, size_t longest) {
  return !text.empty() && text.size() <= longest
         && is_word_character(text.front())
         && std::all_of(text.begin(), text.end(), [also](char c) {
              return is_word_character(c) || also.find(c) != also.npos;
            });
}

bool is_variable(std::string_view name) {
  return !name.empty() && (is_letter(name.front()) || name.front() == '_')
         && std::all_of(name.begin(), name.end(), [](char c) {
              return is_word_character(c) || c == '_';
            });
}

bool is_capability(std::string_view name) {
  return !name.empty() && name != "ALL"
         && std::all_of(name.begin(), name.end(),
                        [](char c) {
                          return (c >= 'A' && c <= 'Z') || c == '_';
                        })
         && name.front() != '_';
}

caf::error refuse(const std::string& key, const std::string& value,
                  const std::string& what) {
  return make_error(errc::configuration, in_quotes(value) + " is no " + what,
                    "sandbox.container." + key);
}

caf::error check_words(const container_settings& x) {
  if (!x.image.empty() && !is_plain(x.image, "._-/:@", 512))
    return refuse("image", x.image, "reference of an image");
  if (x.name && !is_plain(*x.name, "._-", 128))
    return refuse("name", *x.name, "name of a container");
  if (!is_plain(x.network, "._-", 128) || x.network == "container"
      || x.network == "ns")
    return refuse("network", x.network,
                  "network: none, bridge, host or the "
                  "name of one");
  if (x.user && !is_plain(*x.user, "._-:", 128))
    return refuse("user", *x.user, "user: NAME, UID or UID:GID");
  for (const auto& one : x.cap_add)
    if (!is_capability(one))
      return refuse("cap_add", one,
                    "single capability, as in NET_BIND_SERVICE");
  for (const auto& [name, value] : x.env)
    if (!is_variable(name) || value.find('\0') != std::string::npos)
      return refuse("env", name, "variable that can be set");
  if (x.cpus && !(*x.cpus > 0 && *x.cpus <= 4096))
    return refuse("cpus", std::to_string(*x.cpus), "number of processors");
  return {};
}

caf::error check_reconnect(const container_settings& x) {
  if (!x.reconnect)
    return x.image.empty()
             ? make_error(errc::configuration, "a new container needs an image",
                          "sandbox.container.image")
             : caf::error{};
  if (!x.name)
    return make_error(errc::configuration,
                      "a container that is used again needs a name",
                      "sandbox.container.name");
  if (x.engine == "apple")
    return make_error(errc::configuration,
                      "containers of the engine apple cannot be used again: "
                      "it is not known to find one by an exact label",
                      "sandbox.container.reconnect");
  return {};
}

caf::error check_policy(const sandbox_settings& policy,
                        const container_settings& x) {
  const auto& mode = policy.network.mode;
  if (mode != "none" && mode != "inherit")
    return make_error(errc::sandbox,
                      "containers have no network mode \"" + mode + '"',
                      "sandbox.network", "none and inherit are there");
  if (mode == "none" && x.network != "none")
    return make_error(errc::policy,
                      "sandbox.network is none, so a container gets no network",
                      "sandbox.container.network",
                      "network: inherit beside it");
  if (policy.root_filesystem != "isolated")
    return make_error(errc::policy,
                      "a container shows its image, not the files of this host",
                      "sandbox.root_filesystem", "isolated");
  return {};
}

} // namespace

caf::error check_container(const sandbox_settings& policy) {
  if (!policy.container)
    return make_error(errc::configuration, "missing", "sandbox.container",
                      "container: {image: …}");
  const auto& x = *policy.container;
  if (auto failed = check_words(x))
    return failed;
  if (auto failed = check_reconnect(x))
    return failed;
  return check_policy(policy, x);
}

} // namespace troupe
