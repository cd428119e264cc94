#include "troupe/config/resolve_model.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/nearest_name.hpp"
#include "troupe/config/text_file.hpp"

#include <vector>

namespace troupe {

namespace {

// As many as help a reader.
constexpr size_t max_listed = 32;

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  auto result = std::vector<std::string>{};
  for (auto i = map.begin(); i != map.end() && result.size() < max_listed; ++i)
    result.push_back(i->first);
  return result;
}

std::string suggest(std::string_view name,
                    const std::vector<std::string>& known) {
  if (auto near = nearest_name(name, known))
    return "did you mean " + quote(*near) + '?';
  auto result = std::string{"configured are "};
  for (const auto& x : known)
    result += (&x == &known.front() ? "" : ", ") + x;
  return known.empty() ? "none is configured" : result;
}

caf::expected<resolved_model> resolve_target(const settings& x,
                                             std::string_view target,
                                             std::string_view folder) {
  auto colon = target.find(':');
  auto result = resolved_model{};
  result.connection = target.substr(0, colon);
  result.model = target.substr(colon + 1);
  result.folder = folder;
  if (result.connection.empty() || result.model.empty())
    return make_error(errc::configuration, quote(target) + " is not a target",
                      {}, "write connection:model-id or cassette:FILE");
  if (result.connection == "cassette"
      || x.providers.count(result.connection) > 0)
    return result;
  return make_error(errc::configuration,
                    quote(target) + " names the connection "
                      + quote(result.connection)
                      + ", which `providers` does not have",
                    {}, suggest(result.connection, keys_of(x.providers)));
}

} // namespace

caf::expected<resolved_model> resolve_model(const settings& x,
                                            std::string_view name,
                                            std::string_view folder) {
  if (name.empty()) {
    if (x.default_model.empty())
      return make_error(errc::configuration, "no model is named", {},
                        "set default_model, or the model of the agent");
    return resolve_model(x, x.default_model, x.default_model_folder);
  }
  if (auto i = x.models.find(std::string{name}); i != x.models.end()) {
    const auto& role = i->second;
    auto result = resolve_target(x, role.target, role.folder);
    if (result)
      result->settings_json = role.settings_json;
    return result;
  }
  if (name.find(':') != std::string_view::npos)
    return resolve_target(x, name, folder);
  return make_error(errc::configuration,
                    quote(name) + " is neither a role of `models` nor a target",
                    {}, suggest(name, keys_of(x.models)));
}

} // namespace troupe
