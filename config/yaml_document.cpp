#include "troupe/config/yaml_document.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/text_file.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace troupe {

namespace {

// Thrown through the parser, the one way out of its recursion.
using refused = YAML::RepresentationException;

// Turns the parser's events into a tree.
class tree_builder : public YAML::EventHandler {
public:
  tree_builder(std::string_view text, std::shared_ptr<const yaml_source> source,
               const yaml_limits& limits)
    : text_(text),
      source_(std::move(source)),
      nodes_left_(limits.nodes),
      text_left_(limits.bytes * 4),
      max_depth_(limits.depth) {
    // What an empty text leaves.
    root_.source = source_;
    root_.line = 1;
    root_.column = 1;
  }

  yaml_node take_root() {
    return std::move(root_);
  }

  const std::vector<fault>& faults() const {
    return faults_;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true))
      stop(mark, "more text follows the end of the document; a file holds "
                 "one document");
  }

  void OnDocumentEnd() override {
    // nop
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make_node(yaml_kind::null, mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto i = anchors_.find(anchor);
    if (i == anchors_.end())
      stop(mark, "an alias inside of what it names");
    charge(mark, i->second, stack_.size());
    add(i->second, YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& text) override {
    auto node = make_node(yaml_kind::scalar, mark);
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!node.quoted)
      refuse_tag(mark, tag);
    charge_text(mark, text.size());
    refuse_open_quote(mark);
    node.text = text;
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(yaml_kind::sequence, mark, anchor);
  }

  void OnSequenceEnd() override {
    close();
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(yaml_kind::mapping, mark, anchor);
  }

  void OnMapEnd() override {
    close();
  }

private:
  struct frame {
    yaml_node node;
    YAML::anchor_t anchor;
    std::optional<yaml_node> key;
    // Key -> its place; a search in a hostile mapping would be quadratic.
    std::unordered_map<std::string, std::string> seen;
  };

  [[noreturn]] static void stop(const YAML::Mark& mark, const char* why) {
    throw refused(mark, why);
  }

  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag != "?" && tag != "!" && !tag.empty())
      stop(mark, "tags other than !!str have no meaning here");
  }

  // The parser takes the end of the text for the end of a quoted scalar.
  void refuse_open_quote(const YAML::Mark& mark) const {
    auto i = static_cast<size_t>(mark.pos);
    if (i >= text_.size() || (text_[i] != '"' && text_[i] != '\''))
      return;
    auto quote = text_[i];
    for (++i; i < text_.size(); ++i) {
      if (text_[i] == '\\' && quote == '"')
        ++i;
      else if (text_[i] == quote)
        return;
    }
    stop(mark, "a quote that is never closed");
  }

  yaml_node make_node(yaml_kind kind, const YAML::Mark& mark) {
    charge_node(mark);
    auto result = yaml_node{};
    result.kind = kind;
    result.line = static_cast<uint32_t>(mark.line + 1);
    result.column = static_cast<uint32_t>(mark.column + 1);
    result.source = source_;
    return result;
  }

  void charge_node(const YAML::Mark& mark) {
    if (nodes_left_ == 0)
      stop(mark, "too many values (aliases count as what they name)");
    --nodes_left_;
  }

  void charge_text(const YAML::Mark& mark, size_t size) {
    if (text_left_ < size)
      stop(mark, "too much text (aliases count as what they name)");
    text_left_ -= size;
  }

  void check_depth(const YAML::Mark& mark, size_t depth) const {
    if (depth >= max_depth_)
      stop(mark, "values are nested too deeply");
  }

  // Pays for a copy before it is made. A chain of aliases nests deeper than
  // its text, so depth counts here too.
  void charge(const YAML::Mark& mark, const yaml_node& copied, size_t depth) {
    check_depth(mark, depth);
    charge_node(mark);
    charge_text(mark, copied.text.size());
    for (const auto& item : copied.items)
      charge(mark, item, depth + 1);
    for (const auto& [key, value] : copied.members) {
      charge(mark, key, depth + 1);
      charge(mark, value, depth + 1);
    }
  }

  void open(yaml_kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    check_depth(mark, stack_.size());
    stack_.push_back({make_node(kind, mark), anchor, std::nullopt, {}});
  }

  void close() {
    auto done = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(done.node), done.anchor);
  }

  void add(yaml_node node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      charge({}, node, stack_.size());
      anchors_[anchor] = node;
    }
    if (stack_.empty())
      root_ = std::move(node);
    else if (stack_.back().node.kind == yaml_kind::sequence)
      stack_.back().node.items.push_back(std::move(node));
    else if (!stack_.back().key)
      add_key(std::move(node));
    else
      add_value(std::move(node));
  }

  void add_key(yaml_node key) {
    if (key.kind != yaml_kind::scalar) {
      faults_.push_back(fault_at(key, "a key must be a plain text"));
      // Nothing can ask for it, and it equals no other.
      key.text = where(key);
    }
    stack_.back().key = std::move(key);
  }

  void add_value(yaml_node value) {
    auto& top = stack_.back();
    auto key = std::move(*top.key);
    top.key.reset();
    // An empty value has the place of the next token, be it lines away.
    if (value.kind == yaml_kind::null && value.line != key.line) {
      value.line = key.line;
      value.column = key.column;
    }
    auto [first, is_new] = top.seen.emplace(key.text, where(key));
    if (is_new)
      top.node.members.push_back({std::move(key), std::move(value)});
    else
      faults_.push_back(fault_at(key, "key `" + key.text
                                        + "` is there twice, first at "
                                        + first->second));
  }

  static fault fault_at(const yaml_node& node, std::string message) {
    auto result = fault{};
    result.kind = errc::configuration;
    result.message = std::move(message);
    result.where = where(node);
    return result;
  }

  std::string_view text_;
  std::shared_ptr<const yaml_source> source_;
  size_t nodes_left_;
  size_t text_left_;
  size_t max_depth_;
  bool started_ = false;
  yaml_node root_;
  std::vector<frame> stack_;
  std::unordered_map<YAML::anchor_t, yaml_node> anchors_;
  std::vector<fault> faults_;
};

fault fault_in(const yaml_source& source, const YAML::Exception& why) {
  auto result = fault{};
  result.kind = errc::configuration;
  result.message = why.msg;
  result.where = source.name;
  if (why.mark.is_null())
    return result;
  result.where += ':' + std::to_string(why.mark.line + 1) + ':'
                  + std::to_string(why.mark.column + 1);
  return result;
}

constexpr auto byte_order_mark = std::string_view{"\xef\xbb\xbf"};

std::string_view line_of(std::string_view text, const YAML::Mark& mark) {
  if (mark.is_null())
    return {};
  auto at = std::min(static_cast<size_t>(mark.pos), text.size());
  auto begin = text.substr(0, at).rfind('\n') + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

} // namespace

const yaml_node* find_member(const yaml_node& mapping, std::string_view key) {
  for (const auto& member : mapping.members)
    if (member.key.text == key)
      return &member.value;
  return nullptr;
}

std::string where(const yaml_node& node) {
  auto result = node.source ? node.source->name : std::string{};
  if (node.line == 0)
    return result;
  return result + ':' + std::to_string(node.line) + ':'
         + std::to_string(node.column);
}

caf::expected<yaml_node> parse_yaml(std::string_view text, yaml_source source,
                                    const yaml_limits& limits) {
  if (text.size() > limits.bytes)
    return make_error(errc::configuration,
                      "larger than " + std::to_string(limits.bytes) + " bytes",
                      source.name);
  if (text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  if (auto bad = find_bad_utf8(text))
    return make_error(errc::configuration, "not UTF-8 text",
                      place_of(text, *bad, source.name));
  // The parser would take some of them for the end of the text, or for the
  // sign of another encoding.
  if (auto bad = find_control(text))
    return make_error(errc::configuration, "a control character",
                      place_of(text, *bad, source.name),
                      "write it as \"\\x1b\" in quotes");
  auto shared = std::make_shared<const yaml_source>(std::move(source));
  auto builder = tree_builder{text, shared, limits};
  auto faults = std::vector<fault>{};
  try {
    auto in = std::istringstream{std::string{text}};
    auto parser = YAML::Parser{in};
    while (parser.HandleNextDocument(builder))
      ; // The builder refuses a second one.
  } catch (const refused& why) {
    faults.push_back(fault_in(*shared, why));
  } catch (const YAML::Exception& why) {
    faults.push_back(fault_in(*shared, why));
    faults.back().message = "not valid YAML: " + faults.back().message;
    if (line_of(text, why.mark).find("${") != std::string_view::npos)
      faults.back().hint = "within [ ] or { }, put \"${NAME}\" in quotes";
  }
  faults.insert(faults.begin(), builder.faults().begin(),
                builder.faults().end());
  if (!faults.empty())
    return make_error(faults);
  return builder.take_root();
}

caf::expected<yaml_node> parse_yaml_file(const std::string& path,
                                         const yaml_limits& limits) {
  auto text = read_text_file(path, limits.bytes);
  if (!text)
    return std::move(text.error());
  auto source = yaml_source{};
  source.name = path;
  source.folder = std::filesystem::path{path}.parent_path().string();
  return parse_yaml(*text, std::move(source), limits);
}

} // namespace troupe
