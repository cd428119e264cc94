#include "troupe/config/yaml_reader.hpp"

#include "troupe/config/nearest_name.hpp"
#include "troupe/config/redact.hpp"
#include "troupe/config/text_file.hpp"

#include <algorithm>
#include <tuple>

namespace troupe {

namespace {

std::string join(const std::string& path, std::string_view key) {
  auto result = path;
  if (!result.empty())
    result += '.';
  return result += key;
}

std::string list_of(std::span<const std::string> names) {
  auto result = std::string{};
  for (const auto& name : names) {
    if (!result.empty())
      result += ", ";
    result += name;
  }
  return result;
}

} // namespace

yaml_fields::yaml_fields(yaml_value mapping) : mapping_(std::move(mapping)) {
  // nop
}

yaml_value yaml_fields::get(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end())
    known_.emplace_back(key);
  const auto* value = mapping_.node_ ? find_member(*mapping_.node_, key)
                                     : nullptr;
  return {*mapping_.reader_, value, join(mapping_.path_, key)};
}

yaml_value yaml_fields::require(std::string_view key) {
  auto result = get(key);
  if (!result && mapping_.node_ != nullptr)
    mapping_.reader_->fail(result.path(), *mapping_.node_, "missing");
  return result;
}

void yaml_fields::reject_unknown() const {
  if (!mapping_.node_)
    return;
  for (const auto& [key, value] : mapping_.node_->members) {
    if (std::find(known_.begin(), known_.end(), key.text) != known_.end())
      continue;
    auto hint = std::string{};
    if (auto near = nearest_name(key.text, known_))
      hint = "did you mean " + quote(*near) + '?';
    mapping_.reader_->fail(join(mapping_.path_, key.text), key,
                           "unknown key; allowed are " + list_of(known_),
                           std::move(hint));
  }
}

yaml_reader::yaml_reader(variable_lookup variables)
  : variables_(std::move(variables)) {
  // nop
}

yaml_value yaml_reader::root(const yaml_node& document) {
  return {*this, &document, {}};
}

void yaml_reader::fail(const std::string& path, const yaml_node& node,
                       std::string_view message, std::string hint) {
  auto x = entry{node.source, node.line, node.column, {}};
  x.what.where = where(node);
  add(std::move(x), path, message, std::move(hint));
}

void yaml_reader::fail(const std::string& path, std::string place,
                       std::string_view message, std::string hint) {
  auto x = entry{nullptr, 0, 0, {}};
  x.what.where = std::move(place);
  add(std::move(x), path, message, std::move(hint));
}

void yaml_reader::add(entry x, const std::string& path,
                      std::string_view message, std::string hint) {
  x.what.kind = errc::configuration;
  faulty_paths_.insert(path);
  if (!path.empty()) {
    auto quoted = quote(path);
    x.what.message = quoted.substr(1, quoted.size() - 2) + ": ";
  }
  x.what.message += message;
  x.what.hint = std::move(hint);
  entries_.push_back(std::move(x));
}

bool yaml_reader::has_fault(std::string_view path) const {
  if (path.empty())
    return !faulty_paths_.empty();
  for (auto mark : {'.', '['}) {
    auto below = std::string{path} + mark;
    auto i = faulty_paths_.lower_bound(below);
    if (i != faulty_paths_.end() && i->starts_with(below))
      return true;
  }
  // The path itself, and those above it.
  while (faulty_paths_.count(path) == 0) {
    if (path.empty())
      return false;
    auto mark = path.find_last_of(".[");
    path = path.substr(0, mark == std::string_view::npos ? 0 : mark);
  }
  return true;
}

caf::error yaml_reader::error() const {
  if (entries_.empty())
    return caf::none;
  auto sorted = std::vector<const entry*>{};
  for (const auto& x : entries_)
    sorted.push_back(&x);
  auto place = [](const entry* x) {
    auto name = x->source ? std::string_view{x->source->name} : "\xff";
    // Those at one place stay in the order of their reports.
    return std::tuple{name, x->line, x->column, x};
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const auto* x, const auto* y) { return place(x) < place(y); });
  auto faults = std::vector<fault>{};
  for (const auto* x : sorted) {
    faults.push_back(x->what);
    faults.back().message = redact(std::move(faults.back().message), secrets_);
  }
  return make_error(faults);
}

std::optional<expanded_text> yaml_reader::expand(const yaml_node& scalar,
                                                 const std::string& path) {
  auto is_literal = !variables_ || (scalar.source && scalar.source->is_literal);
  if (is_literal || scalar.text.find("${") == std::string::npos)
    return expanded_text{scalar.text, false, {}};
  auto limit = expansion_left_ + scalar.text.size();
  auto result = expand_variables(scalar.text, variables_, limit);
  if (!result) {
    auto why = to_fault(result.error());
    fail(path, scalar, why.message, why.hint);
    return std::nullopt;
  }
  if (result->text.size() > scalar.text.size())
    expansion_left_ -= result->text.size() - scalar.text.size();
  secrets_.insert(result->secrets.begin(), result->secrets.end());
  return std::move(*result);
}

void yaml_reader::hide(const std::string& value) {
  if (!value.empty())
    secrets_.insert(value);
}

} // namespace troupe
