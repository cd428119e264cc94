#include "troupe/actors/app/store_access.hpp"

#include "troupe/actors/app/setup.hpp"
#include "troupe/config/parse_units.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

namespace troupe::app {

caf::expected<std::unique_ptr<store>> open_store(const options& x) {
  auto loaded = settings_for(x);
  if (!loaded)
    return std::move(loaded.error());
  const auto& storage = loaded->settings.storage;
  if (storage.in_memory || !std::filesystem::exists(storage.path))
    return make_memory_store();
  return make_lmdb_store(storage);
}

caf::expected<caf::timespan> parse_age(std::string_view text) {
  if (text.empty() || text.back() != 'd')
    return parse_duration(text);
  auto hours
    = parse_duration(std::string{text.substr(0, text.size() - 1)} + "h");
  if (!hours)
    return hours;
  constexpr auto longest = std::chrono::hours{24 * 365 * 100};
  if (*hours > longest / 24)
    return make_error(errc::configuration,
                      "\"" + std::string{text} + "\" is too long ago");
  return *hours * 24;
}

caf::expected<int64_t> parse_since(const std::string& text) {
  using std::chrono::duration_cast;
  if (auto ago = parse_age(text))
    return now_micros()
           - duration_cast<std::chrono::microseconds>(*ago).count();
  return parse_rfc3339(text);
}

caf::expected<std::unique_ptr<store>> make_store_for(const options& x) {
  auto loaded = settings_for(x);
  if (!loaded)
    return std::move(loaded.error());
  if (loaded->settings.storage.in_memory)
    return make_error(errc::configuration, "`storage: memory` keeps nothing",
                      "storage", "name a folder with --store");
  return make_lmdb_store(loaded->settings.storage);
}

caf::expected<int64_t> parse_older_than(const options& x) {
  using std::chrono::duration_cast;
  auto age = parse_age(x.older_than);
  if (!age)
    return make_error(errc::configuration, to_fault(age.error()).message,
                      "--older-than");
  return now_micros() - duration_cast<std::chrono::microseconds>(*age).count();
}

} // namespace troupe::app
