#pragma once

#include "troupe/config/load_settings.hpp"

#include <nlohmann/json_fwd.hpp>

namespace troupe {

/// The settings in the form of `troupe.yaml`, with every secret masked.
nlohmann::ordered_json to_masked_json(const loaded_settings& x);

} // namespace troupe
