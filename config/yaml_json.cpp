#include "troupe/config/core_schema.hpp"
#include "troupe/config/text_file.hpp"
#include "troupe/config/yaml_reader.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace troupe {

namespace {

using json = nlohmann::ordered_json;

json from_core(const core_value& value) {
  return std::visit(
    [](const auto& x) {
      if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::string_view>)
        return json(std::string{x});
      else
        return json(x);
    },
    value);
}

// Faults are reported to the reader; what is returned in their place does not
// matter then. The depth is that of the tree, which the parser bounds.
class converter {
public:
  explicit converter(yaml_reader& reader) : reader_(reader) {
    // nop
  }

  json convert(const yaml_node& node, const std::string& path) {
    switch (node.kind) {
      case yaml_kind::null:
        return nullptr;
      case yaml_kind::scalar:
        return convert_scalar(node, path);
      case yaml_kind::sequence:
        return convert_sequence(node, path);
      case yaml_kind::mapping:
        break;
    }
    return convert_mapping(node, path);
  }

private:
  json convert_scalar(const yaml_node& node, const std::string& path) {
    auto expanded = reader_.expand(node, path);
    if (!expanded)
      return nullptr;
    if (node.quoted)
      return std::move(expanded->text);
    auto value = resolve_core(expanded->text);
    if (const auto* x = std::get_if<double>(&value); x && !std::isfinite(*x))
      reader_.fail(path, node, quote(node.text) + " is no number in JSON");
    return from_core(value);
  }

  json convert_sequence(const yaml_node& node, const std::string& path) {
    auto result = json::array();
    for (const auto& item : node.items)
      result.push_back(
        convert(item, path + '[' + std::to_string(result.size()) + ']'));
    return result;
  }

  json convert_mapping(const yaml_node& node, const std::string& path) {
    auto result = json::object();
    for (const auto& [key, value] : node.members) {
      auto below = path + (path.empty() ? "" : ".") + key.text;
      if (!key.quoted
          && !std::holds_alternative<std::string_view>(resolve_core(key.text)))
        reader_.fail(below, key, "a key must be text", "put it in quotes");
      // Not through operator[], which would search the members again.
      result.get_ref<json::object_t&>().push_back(
        {key.text, convert(value, below)});
    }
    return result;
  }

  yaml_reader& reader_;
};

} // namespace

std::optional<std::string> yaml_value::json() const {
  if (!node_)
    return std::nullopt;
  auto faults = reader_->fault_count();
  auto result = converter{*reader_}.convert(*node_, path_);
  if (reader_->fault_count() > faults)
    return std::nullopt;
  return result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<std::string> yaml_value::json_object() const {
  if (!node_)
    return std::nullopt;
  if (is_null())
    return "{}";
  if (is_mapping())
    return json();
  fail_type("a mapping");
  return std::nullopt;
}

} // namespace troupe
