#pragma once

#include "troupe/actors/app/options.hpp"
#include "troupe/storage/store.hpp"

#include "caf/expected.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::app {

/// The store of the configuration, for commands that start no runtime; an empty
/// one where none exists: looking makes no store.
caf::expected<std::unique_ptr<store>> open_store(const options& x);

/// A duration, or a number of days such as 30d.
caf::expected<caf::timespan> parse_age(std::string_view text);

/// A time, or how long ago: the microseconds since the epoch.
caf::expected<int64_t> parse_since(const std::string& text);

/// Like `open_store`, for a command that writes: makes the store where it does
/// not exist.
caf::expected<std::unique_ptr<store>> make_store_for(const options& x);

/// The time that `--older-than` means: what is older may go.
caf::expected<int64_t> parse_older_than(const options& x);

} // namespace troupe::app
