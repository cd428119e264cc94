#include "troupe/actors/model/model_target.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/provider_presets.hpp"
#include "troupe/config/resolve_model.hpp"

#include <filesystem>
#include <utility>

namespace troupe {

namespace {

namespace fs = std::filesystem;

std::string path_of(const std::string& folder, const std::string& project,
                    const std::string& file) {
  auto failed = std::error_code{};
  auto beside = fs::path{folder} / file;
  auto below = fs::path{project} / file;
  auto is_below = !fs::exists(beside, failed) && fs::exists(below, failed);
  return (is_below ? below : beside).lexically_normal().string();
}

provider_settings provider_of(const settings& x,
                              const std::string& connection) {
  auto i = x.providers.find(connection);
  if (i != x.providers.end())
    return apply_preset(i->second);
  auto result = provider_settings{};
  result.adapter = "cassette";
  return result;
}

bool exists(const std::string& adapter) {
  return adapter == "openai" || adapter == "cassette" || adapter == own_adapter;
}

} // namespace

caf::expected<model_target>
find_target(const settings& x, const std::string& name,
            const std::string& folder, const std::string& project) {
  auto found = resolve_model(x, name, folder);
  if (!found)
    return std::move(found.error());
  auto result = model_target{};
  result.provider = provider_of(x, found->connection);
  const auto& adapter = result.provider.adapter;
  if (!exists(adapter))
    return make_error(errc::configuration,
                      "the adapter `" + adapter
                        + "` comes with a later release",
                      "providers." + found->connection + ".adapter",
                      "many providers also speak the protocol of openai: set "
                      "adapter: openai and their base_url");
  const auto& base = found->folder.empty() ? folder : found->folder;
  result.model_id = adapter == "cassette" ? path_of(base, project, found->model)
                                          : std::move(found->model);
  result.connection = std::move(found->connection);
  result.settings_json = std::move(found->settings_json);
  return result;
}

} // namespace troupe
