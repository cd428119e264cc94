#pragma once

#include "troupe/config/secret.hpp"

#include "caf/timespan.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace troupe {

/// How long one HTTP exchange may take, by phase.
struct transfer_timeouts {
  caf::timespan connect = std::chrono::seconds{10};
  /// From the request to the first byte of the answer.
  caf::timespan first_byte = std::chrono::seconds{60};
  /// The longest silence in the middle of an answer.
  caf::timespan idle = std::chrono::seconds{60};
  caf::timespan total = std::chrono::minutes{10};
};

/// How often and how patiently a request is sent again.
struct retry_settings {
  /// Requests in all, the first one included; at least 1.
  uint32_t attempts = 4;
  caf::timespan base = std::chrono::milliseconds{500};
  caf::timespan max = std::chrono::seconds{30};
};

/// One provider connection.
struct provider_settings {
  /// openai | anthropic | gemini | cassette, or a preset of openai such as
  /// ollama until `apply_preset` has replaced it.
  std::string adapter = "openai";
  /// The preset that `adapter` was, or empty.
  std::string preset;
  /// http:// or https://; empty: that of the adapter or preset.
  std::string base_url;
  secret api_key;
  transfer_timeouts timeouts;
  retry_settings retry;
  /// Requests at once over this connection; more wait in order. At least 1.
  uint32_t max_in_flight = 64;
};

/// A named use of a model ("support", "summaries").
struct model_role {
  /// "connection:model-id", or "cassette:FILE".
  std::string target;
  /// The folder that a relative FILE counts from; empty: the working
  /// directory.
  std::string folder;
  /// Extra request fields as the text of one JSON object, e.g. temperature.
  std::string settings_json = "{}";
};

} // namespace troupe
