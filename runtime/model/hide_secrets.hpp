#pragma once

#include "troupe/config/secret.hpp"

#include <string>
#include <string_view>

namespace troupe {

/// `text` without `key` and without anything that looks like a credential: a
/// bearer token, a key that starts with "sk-". What a provider says may repeat
/// what it was sent. Each becomes "***". Any thread.
std::string hide_secrets(std::string_view text, const secret& key);

} // namespace troupe
