#pragma once

#include "troupe/config/environment_layer.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/config/settings.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A value that a flag sets.
struct setting_override {
  /// A key path such as "limits.deadline".
  std::string path;
  /// One value as text; one that begins with `[` or `{` is read as YAML.
  std::string value;
  /// What messages call its place, for example "--deadline".
  std::string flag;
};

/// Which files are looked for beside the named one.
enum class config_files : uint8_t {
  /// `troupe.yaml` in the working directory and the user's.
  found,
  /// None.
  named_only,
};

/// What to load settings from.
struct load_request {
  /// The file of `--config`, which must exist; empty: none.
  std::string config_file;
  config_files files = config_files::found;
  /// Where `troupe.yaml` is looked for, and what relative paths of flags and
  /// the environment count from.
  std::string working_directory = ".";
  /// For `${NAME}`, `TROUPE_…`, `XDG_CONFIG_HOME` and `HOME`.
  environment_map environment;
  /// In order; a later one wins.
  std::vector<setting_override> overrides;
};

/// Settings, and where each of them came from.
struct loaded_settings {
  troupe::settings settings;
  /// The files that were read, the strongest first.
  std::vector<std::string> files;
  /// Key path -> "FILE:LINE:COLUMN", "environment NAME" or "flag NAME". What
  /// is not in it has its default.
  std::map<std::string, std::string> sources;
  /// What has no effect, such as a `TROUPE_…` variable that no setting has.
  std::vector<fault> warnings;
  /// What may never be printed: keys, and what secret-looking variables held.
  std::set<std::string> secrets;
};

/// Merges the layers key by key, the strongest first: overrides, the file of
/// `--config`, `troupe.yaml` in the working directory,
/// `$XDG_CONFIG_HOME/troupe/troupe.yaml` (by default in `~/.config`), the
/// environment, defaults. Then reads and validates what came out; every error
/// of every file is in the one that is returned (`to_faults`), as
/// `errc::configuration`. A weaker value that a stronger one replaces is not
/// looked at.
caf::expected<loaded_settings> load_settings(const load_request& request);

/// As above for the text of one `troupe.yaml`, which messages call `name`.
caf::expected<loaded_settings>
parse_settings(std::string_view text, const std::string& name,
               const environment_map& environment = {});

} // namespace troupe
