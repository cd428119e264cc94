#include "troupe/actors/run/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <memory>

namespace troupe {

namespace {

spdlog::level::level_enum level_of(log_level x) {
  constexpr auto levels = std::array{spdlog::level::debug, spdlog::level::info,
                                     spdlog::level::warn, spdlog::level::err};
  return levels.at(static_cast<size_t>(x));
}

} // namespace

log_sink log_to_stderr(log_level least) {
  // Not spdlog's registry: two runtimes do not meet.
  auto logger = std::make_shared<spdlog::logger>(
    "troupe", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%f%z %l %v");
  logger->set_level(level_of(least));
  return [logger](log_level level, const std::string& line) {
    logger->log(level_of(level), spdlog::string_view_t{line});
  };
}

log_level log_level_from(std::string_view name) {
  if (name == "debug")
    return log_level::debug;
  if (name == "info")
    return log_level::info;
  return name == "error" ? log_level::error : log_level::warn;
}

} // namespace troupe
