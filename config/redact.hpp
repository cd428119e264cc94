#pragma once

#include <set>
#include <string>
#include <string_view>

namespace troupe {

/// What is printed in place of a secret.
inline constexpr std::string_view secret_mask = "***";

/// Whether a key or variable called `name` holds something to hide: its name
/// has key, token, secret, password or credential in it ("tokens" is a
/// count).
bool looks_secret(std::string_view name);

/// `text` with each of `secrets` in it masked. Values of fewer than eight
/// bytes are left: no real key is that short, and a placeholder such as "none"
/// occurs everywhere.
std::string redact(std::string text, const std::set<std::string>& secrets);

/// `url` with its user information and the values of secret-looking query
/// parameters masked.
std::string mask_url(std::string_view url);

} // namespace troupe
