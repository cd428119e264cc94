#include "troupe/config/definition_loader.hpp"

#include "troupe/config/assembly_reader.hpp"
#include "troupe/config/expand_variables.hpp"
#include "troupe/config/layers.hpp"
#include "troupe/config/settings_reader.hpp"
#include "troupe/config/text_file.hpp"
#include "troupe/config/validate_settings.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace troupe {

namespace {

constexpr auto kinds = std::array<std::string_view, 4>{"agent", "graph",
                                                       "workflow", "swarm"};

constexpr auto most_files_deep = size_t{16};
constexpr size_t max_template = 1u << 20;

void read_template(const yaml_value& place, agent_settings& x) {
  // Beside the agent, or where the program works.
  auto failed = std::error_code{};
  auto written = place.text().value_or("");
  if (!std::filesystem::exists(x.system_template, failed)
      && std::filesystem::exists(written, failed))
    x.system_template = std::move(written);
  auto text = read_text_file(x.system_template, max_template);
  if (text && !find_bad_utf8(*text))
    x.system_prompt = std::move(*text);
  else
    place.fail(quote(x.system_template) + ": "
               + (text ? "not UTF-8 text" : to_fault(text.error()).message));
}

void check_prompt(yaml_fields fields, agent_settings& x) {
  auto place = fields.get("system_template");
  if (place && fields.get("system_prompt"))
    place.fail("stands beside system_prompt", "keep one of the two");
  else if (!x.system_template.empty())
    read_template(place, x);
}

assembly_tool_settings read_assembly_tool(const yaml_value& value,
                                          definition_source& from) {
  auto result = assembly_tool_settings{};
  auto fields = value.fields();
  result.participant = read_participant(fields, "assembly", from);
  result.name = fields.require("name").name().value_or("");
  result.description = fields.get("description").text().value_or("");
  fields.reject_unknown();
  return result;
}

} // namespace

definition_loader::definition_loader(const environment_map& environment)
  : environment_(environment) {
  // nop
}

definition_loader::pointer definition_loader::load(const yaml_node& root,
                                                   const std::string& file) {
  auto reader = yaml_reader{lookup_in(environment_)};
  auto* outer = std::exchange(reader_, &reader);
  auto failed = std::error_code{};
  auto path = std::filesystem::absolute(file, failed);
  open_.push_back(
    {file,
     (failed ? std::filesystem::path{file} : path).lexically_normal().string(),
     find_member(root, kinds.front()) != nullptr});
  auto result = define(reader.root(root));
  open_.pop_back();
  reader_ = outer;
  if (auto why = reader.error())
    for (auto& one : to_faults(why))
      wrong_.push_back(std::move(one));
  return result;
}

caf::error definition_loader::error() const {
  return wrong_.empty() ? caf::error{} : make_error(wrong_);
}

definition_loader::pointer
definition_loader::from_file(const yaml_value& place, const std::string& path) {
  if (auto found = done_.find(path); found != done_.end())
    return found->second;
  if (find_open(path) != nullptr) {
    place.fail(quote(path) + " contains itself");
    return nullptr;
  }
  if (open_.size() >= most_files_deep) {
    place.fail("files name each other too deeply");
    return nullptr;
  }
  auto root = parse_yaml_file(path);
  if (!root) {
    auto why = to_fault(root.error());
    place.fail(quote(path) + ": " + why.message, why.hint);
    return nullptr;
  }
  auto result = load(*root, path);
  done_[path] = result;
  return result;
}

const definition_loader::open_file*
definition_loader::find_open(const std::string& path) const {
  auto found = std::find_if(open_.begin(), open_.end(),
                            [&](const auto& x) { return x.path == path; });
  return found == open_.end() ? nullptr : &*found;
}

bool definition_loader::is_found_later(const std::string& path) const {
  const auto* file = find_open(path);
  return is_for_helper_ && file != nullptr && file->is_agent;
}

definition_loader::pointer
definition_loader::from_mapping(const yaml_value& mapping) {
  return define(mapping);
}

definition_loader::pointer definition_loader::from_mapping_without(
  const yaml_value& mapping, std::span<const std::string_view> keys) {
  auto& part = parts_.emplace_back(*mapping.node());
  std::erase_if(part.members, [&](const yaml_member& x) {
    return std::find(keys.begin(), keys.end(), x.key.text) != keys.end();
  });
  return define({*reader_, &part, mapping.path()});
}

definition_loader::pointer
definition_loader::define(const yaml_value& mapping) {
  auto outer = std::exchange(is_for_helper_, false);
  auto result = define_kind(mapping);
  is_for_helper_ = outer;
  return result;
}

definition_loader::pointer
definition_loader::define_kind(const yaml_value& mapping) {
  if (!mapping.is_mapping()) {
    mapping.fail("expected the definition of an agent or an assembly");
    return nullptr;
  }
  auto is_agent = find_member(*mapping.node(), kinds.front()) != nullptr;
  auto count = std::count_if(kinds.begin(), kinds.end(), [&](auto key) {
    return find_member(*mapping.node(), key) != nullptr;
  });
  if (count != 1) {
    mapping.fail(count == 0
                   ? "has none of the keys agent, graph, workflow and swarm"
                   : "has more than one of the keys agent, graph, workflow and "
                     "swarm");
    return nullptr;
  }
  auto result = definition_settings{};
  if (is_agent) {
    result.what = read_agent(mapping);
  } else {
    auto assembly = read_assembly(mapping, *this);
    assembly.source = open_.back().name;
    assembly.path = mapping.path();
    if (assembly.sandbox)
      report_issues(find_issues(*assembly.sandbox), *reader_,
                    places_of(*mapping.node()), mapping.path(), "sandbox.");
    result.what = std::move(assembly);
  }
  return std::make_shared<const definition_settings>(std::move(result));
}

agent_settings definition_loader::read_agent(const yaml_value& mapping) {
  auto result = agent_settings{};
  settings_reader::read(mapping, result);
  result.folder = mapping.folder();
  result.source = open_.back().name;
  result.path = mapping.path();
  check_prompt(mapping.fields(), result);
  read_helpers(mapping, result);
  report_issues(find_issues(result), *reader_, places_of(*mapping.node()),
                mapping.path());
  return result;
}

/// What an agent has of other agents.
void definition_loader::read_helpers(const yaml_value& mapping,
                                     agent_settings& x) {
  is_for_helper_ = true;
  auto fields = mapping.fields();
  for (const auto& [name, value] : fields.get("subagents").entries()) {
    auto& one = x.subagents[name];
    if (!value.is_mapping()) {
      one.participant = read_participant(value, *this);
      continue;
    }
    auto inner = value.fields();
    one.participant = read_participant(inner, "agent", *this);
    one.max
      = static_cast<uint32_t>(inner.get("max").count(1).value_or(one.max));
    inner.reject_unknown();
  }
  for (const auto& item : fields.get("tools").items())
    if (item.is_mapping())
      x.assembly_tools.push_back(read_assembly_tool(item, *this));
  is_for_helper_ = false;
}

} // namespace troupe
