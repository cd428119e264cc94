#include "troupe/sandbox/seatbelt_profile.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>

namespace troupe {

namespace {

// What programs of the system need, whatever they do.
constexpr auto base = R"((version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* file-write* (literal "/dev/null"))
(allow file-read* (literal "/dev/zero") (literal "/dev/random")
  (literal "/dev/urandom"))
)";

// Programs and libraries, and no one's files.
constexpr auto system_files = R"((allow file-read*
  (subpath "/usr") (subpath "/bin") (subpath "/sbin") (subpath "/System")
  (subpath "/Library") (subpath "/private/etc") (subpath "/opt/homebrew"))
)";

constexpr auto network = R"((allow network*)
(allow system-socket)
(allow mach-lookup (global-name "com.apple.mDNSResponder"))
)";

// A string of its Scheme. What is between the quotes is no syntax there but for
// these two; control characters are not worth finding out about.
bool quote(const std::string& path, std::string& to) {
  to = "\"";
  for (auto c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return false;
    if (c == '"' || c == '\\')
      to += '\\';
    to += c;
  }
  to += '"';
  return path.starts_with('/');
}

std::string root_rule(const std::string& root_filesystem) {
  if (root_filesystem == "read_write")
    return "(allow file-read* file-write*)\n";
  if (root_filesystem == "read_only")
    return "(allow file-read*)\n";
  return system_files;
}

} // namespace

caf::expected<std::string>
seatbelt_profile(const sandbox_settings& policy,
                 const std::vector<path_grant>& grants) {
  const auto& mode = policy.network.mode;
  if (mode != "none" && mode != "inherit")
    return make_error(errc::sandbox,
                      "Seatbelt has no network mode \"" + mode + "\" here",
                      "sandbox.network", "none and inherit are there");
  auto result = base + root_rule(policy.root_filesystem);
  if (policy.network.mode == "inherit")
    result += network;
  // Outer ones come first, so that an inner one that is less has the last word.
  for (const auto& one : grants) {
    auto path = std::string{};
    if (!quote(one.path, path))
      return make_error(errc::policy,
                        in_quotes(one.path)
                          + " cannot stand in a profile of Seatbelt",
                        "workspace." + one.name);
    auto place = " (subpath " + path + "))\n";
    result += "(allow file-read*" + place;
    result += (one.access == file_access::read_write ? "(allow" : "(deny")
              + std::string{" file-write*"} + place;
  }
  return result;
}

caf::error check_seatbelt() {
  return make_error(errc::sandbox,
                    "Seatbelt is a part of macOS, where troupe was never tried",
                    "sandbox.provider", "native, which is bubblewrap on Linux");
}

} // namespace troupe
