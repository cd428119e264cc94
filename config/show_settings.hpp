#pragma once

#include "troupe/config/load_settings.hpp"

#include <string>

namespace troupe {

/// The effective configuration as YAML that `load_settings` reads back, but
/// for its secrets, which are masked wherever they occur. Behind each value a
/// comment says where it came from.
std::string show_settings(const loaded_settings& x);

/// The same as one JSON object with the sections of `troupe.yaml`, and with
/// `sources` (key path -> place) and `files`.
std::string show_settings_json(const loaded_settings& x);

} // namespace troupe
