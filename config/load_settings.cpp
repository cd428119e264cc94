#include "troupe/config/load_settings.hpp"

#include "troupe/config/layers.hpp"
#include "troupe/config/settings_reader.hpp"
#include "troupe/config/text_file.hpp"
#include "troupe/config/validate_settings.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr auto file_name = "troupe.yaml";

// Gathers the layers, the weakest first, and every fault on the way.
class loader {
public:
  explicit loader(const load_request& request)
    : request_(request),
      reader_(lookup_in(request.environment)),
      root_(make_mapping(std::make_shared<const yaml_source>())) {
    // nop
  }

  void add_environment() {
    auto layer = layer_of(request_.environment, request_.working_directory);
    result_.warnings = std::move(layer.warnings);
    merge_over(root_, std::move(layer.root));
  }

  void add_found_files() {
    auto user_folder = folder_of_user();
    if (!user_folder.empty())
      add_if_exists(user_folder / "troupe" / file_name);
    auto local = fs::path{request_.working_directory} / file_name;
    add_if_exists(local.lexically_normal());
  }

  void add_file(const std::string& path) {
    result_.files.insert(result_.files.begin(), path);
    add_document(parse_yaml_file(path));
  }

  void add_document(caf::expected<yaml_node> document) {
    if (!document) {
      for (auto& what : to_faults(document.error()))
        faults_.push_back(std::move(what));
      return;
    }
    check_version(*document);
    if (document->kind == yaml_kind::mapping)
      merge_over(root_, std::move(*document));
  }

  void add_overrides() {
    for (const auto& x : request_.overrides) {
      auto source = std::make_shared<const yaml_source>(
        yaml_source{"flag " + x.flag, request_.working_directory, true});
      auto value = value_of(x, source);
      auto layer = make_mapping(source);
      if (!value)
        continue;
      if (put_at(layer, x.path, std::move(*value)))
        merge_over(root_, std::move(layer));
      else
        reader_.fail({}, layer, quote(x.path) + " is not a key path");
    }
  }

  caf::expected<loaded_settings> finish() {
    settings_reader::read(reader_.root(root_), result_.settings);
    result_.sources = places_of(root_);
    report_issues(find_issues(result_.settings), reader_, result_.sources);
    for (auto& what : to_faults(reader_.error()))
      faults_.push_back(std::move(what));
    if (!faults_.empty())
      return make_error(faults_);
    result_.secrets = reader_.secrets();
    return std::move(result_);
  }

private:
  fs::path folder_of_user() const {
    auto value_of = [this](std::string_view name) {
      auto i = request_.environment.find(name);
      return fs::path{i == request_.environment.end() ? "" : i->second};
    };
    // The XDG specification: a relative path is to be ignored.
    if (auto folder = value_of("XDG_CONFIG_HOME"); folder.is_absolute())
      return folder;
    if (auto home = value_of("HOME"); home.is_absolute())
      return home / ".config";
    return {};
  }

  void add_if_exists(const fs::path& path) {
    auto failure = std::error_code{};
    auto is_named = !request_.config_file.empty()
                    && fs::equivalent(path, request_.config_file, failure);
    if (!is_named && fs::exists(path, failure))
      add_file(path.string());
  }

  // Takes the key away: it says how to read the file, and is no setting.
  void check_version(yaml_node& document) {
    auto value = reader_.root(document).fields().get("version");
    const auto* node = value.node();
    auto is_known = node && !node->quoted && node->text == "1";
    if (node && !is_known)
      value.fail("expected 1, the only version that is known");
    std::erase_if(document.members,
                  [](const auto& x) { return x.key.text == "version"; });
  }

  std::optional<yaml_node>
  value_of(const setting_override& x,
           const std::shared_ptr<const yaml_source>& source) {
    if (!x.value.starts_with('[') && !x.value.starts_with('{'))
      return make_scalar(x.value, source);
    auto value = parse_yaml(x.value, *source);
    if (value)
      return std::move(*value);
    for (auto& what : to_faults(value.error()))
      faults_.push_back(std::move(what));
    return std::nullopt;
  }

  const load_request& request_;
  yaml_reader reader_;
  yaml_node root_;
  loaded_settings result_;
  std::vector<fault> faults_;
};

} // namespace

caf::expected<loaded_settings> load_settings(const load_request& request) {
  auto x = loader{request};
  x.add_environment();
  if (request.files == config_files::found)
    x.add_found_files();
  if (!request.config_file.empty())
    x.add_file(request.config_file);
  x.add_overrides();
  return x.finish();
}

caf::expected<loaded_settings>
parse_settings(std::string_view text, const std::string& name,
               const environment_map& environment) {
  auto request = load_request{};
  request.environment = environment;
  auto x = loader{request};
  x.add_environment();
  x.add_document(parse_yaml(text, {name, {}, false}));
  return x.finish();
}

} // namespace troupe
