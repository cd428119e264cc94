#include "troupe/actors/app/session_access.hpp"

#include "troupe/actors/app/report.hpp"
#include "troupe/actors/app/store_access.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/runtime/text/utf8.hpp"

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace troupe::app {

namespace {

using json = nlohmann::ordered_json;

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(sanitize_utf8(text));
}

} // namespace

json key_json(const session_key& key) {
  auto result = json{};
  result["session_id"] = sanitize_utf8(key.session_id);
  result["agent"] = sanitize_utf8(key.agent);
  result["actor_id"] = text_or_null(key.actor_id);
  return result;
}

caf::expected<session_key> find_session(store& store, const options& x) {
  auto all = store.list(x.id);
  if (!all)
    return std::move(all.error());
  auto names = std::string{};
  auto found = std::vector<session_key>{};
  for (const auto& one : *all) {
    if ((!x.agent.empty() && one.key.agent != x.agent)
        || (!x.actor.empty() && one.key.actor_id != x.actor))
      continue;
    found.push_back(one.key);
    names += (names.empty() ? "" : "; ") + std::string{"--agent "}
             + one.key.agent;
    if (!one.key.actor_id.empty())
      names += " --actor " + one.key.actor_id;
  }
  if (found.empty())
    return make_error(errc::configuration,
                      "there is no session \"" + x.id + "\"", {},
                      "troupe sessions list");
  if (found.size() > 1)
    return make_error(errc::configuration,
                      "there are several sessions \"" + x.id + "\"", {},
                      "choose one: " + names);
  return found.front();
}

int with_session(const options& x,
                 const std::function<int(store&, session_key)>& work) {
  auto store = open_store(x);
  if (!store)
    return report(store.error());
  auto key = find_session(**store, x);
  if (!key)
    return report(key.error());
  return work(**store, std::move(*key));
}

} // namespace troupe::app
