#pragma once

#include "troupe/config/model_settings.hpp"

#include <span>
#include <string_view>

namespace troupe {

/// Every word that `adapter:` takes: the four adapters and the presets of
/// openai.
std::span<const std::string_view> adapter_names();

/// `x` with a preset turned into its adapter, and the default `base_url` of
/// the adapter or preset where it has none. Doing it twice changes nothing.
provider_settings apply_preset(provider_settings x);

} // namespace troupe
